// Text that comes in pieces.

const LONGEST_LINE = 256 * 1024 * 1024;

/** Collects pieces of text and hands on whole lines. readline would also end a line at U+2028, which JSON may have. */
export class Lines {
  #pieces = [];
  #length = 0;
  #take;
  #refuse;

  constructor(take, refuse) {
    this.#take = take;
    this.#refuse = refuse;
  }

  add(text) {
    let end;
    while ((end = text.indexOf("\n")) >= 0) {
      this.#pieces.push(text.slice(0, end));
      const line = this.#pieces.join("");
      this.#pieces = [];
      this.#length = 0;
      text = text.slice(end + 1);
      this.#take(line);
    }
    this.#pieces.push(text);
    this.#length += text.length;
    if (this.#length > LONGEST_LINE) this.#refuse("a line without an end");
  }
}

/** The end of a long text: errors come last. */
export function tail(text) {
  return text.slice(-8192);
}

// Makes a persistent hook of a function: it reads one line of JSON for each call and writes one.
// Use: await serve(function). It gets the call and returns nothing, a text for the model, an answer, or a promise of one.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr); // a stray console.log must not be an answer

export async function serve(hook) {
  let held = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    held += chunk;
    if (!chunk.includes("\n")) continue;
    const lines = held.split("\n"); // node:readline would also split at U+2028, which JSON may contain
    held = lines.pop();
    for (const line of lines) await say(await answer(hook, line));
  }
  if (held) await say(await answer(hook, held));
  process.exit(); // even if the hook has a timer
}
const say = (line) => new Promise((written) => write(line + "\n", written));

async function answer(hook, line) {
  let call; // its id says what this answers
  try {
    call = JSON.parse(line);
    const result = (await hook(call)) ?? {};
    if (typeof result === "string") return JSON.stringify({ hookSpecificOutput: { hookEventName: call.hook_event_name, additionalContext: result }, id: call.id });
    if (Object.getPrototypeOf(result) === Object.prototype) return JSON.stringify({ ...result, id: call.id });
    throw new TypeError("the function must return nothing, a text or a plain object");
  } catch (error) { // a gate that crashed must not look like one that approved
    return JSON.stringify({ exit_code: 2, stderr: `${process.argv[1].split(/[\\/]/).pop()}: ${error}`, id: call?.id });
  }
}

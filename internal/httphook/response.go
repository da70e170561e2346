package httphook

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	maxHead      = 64 << 10 // of all heads and trailers of one answer; so it bounds the number of interim answers too
	maxBody      = 1 << 20  // the runner keeps no more of a hook's stdout
	maxChunkLine = 256      // a chunk's size with its extensions
)

var (
	errCut     = errors.New("the server closed the connection before its answer was complete")
	errTooLong = errors.New("the answer is more than 1 MiB") // maxBody; formatting it here would cost every start
)

// response is an answer. An answer that is not 2xx is not read further than its head.
type response struct {
	status   int
	reason   string
	location string
	encoding string // of the content, "" for none
	length   int64  // of the body, -1 if the head does not say it
	chunked  bool
	body     []byte
}

// readResponse reads one answer and skips the interim ones before it.
func readResponse(r io.Reader) (*response, error) {
	// The buffer is as large as a line may get.
	in := &reader{Reader: bufio.NewReaderSize(r, maxHead), left: maxHead}
	for {
		a, err := in.head()
		switch {
		case err != nil:
			return nil, err
		case a.status/100 == 1 && a.status != 101: // 101 is final, though we did not ask to switch protocols
			continue
		case a.status/100 != 2:
			return a, nil
		case a.encoding != "":
			return nil, fmt.Errorf("the answer has Content-Encoding %q; the server must send it as it is", clip(a.encoding))
		}
		a.body, err = in.body(a)
		return a, err
	}
}

type reader struct {
	*bufio.Reader
	left int // how many bytes heads and trailers may still have
}

// head reads a status line and the headers behind it.
func (in *reader) head() (*response, error) {
	const version = "HTTP/1."
	// What is no HTTP may have no line ends either, so look before waiting for one.
	switch start, err := in.Peek(len(version)); {
	case len(start) == 0 && err == io.EOF:
		return nil, errors.New("the server closed the connection without an answer")
	case !strings.HasPrefix(version, string(start)):
		return nil, fmt.Errorf("this is no HTTP/1 answer: it starts with %q", start)
	}
	line, _, err := in.headLine()
	if err != nil {
		return nil, err
	}
	// HTTP/1.1 200 OK
	// 0123456789012345
	if len(line) < 12 || line[7] != '0' && line[7] != '1' || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		return nil, fmt.Errorf("the answer's status line is malformed: %q", clip(line))
	}
	status, err := strconv.ParseUint(line[9:12], 10, 16)
	if err != nil || status < 100 || status > 599 {
		return nil, fmt.Errorf("the answer's status is not a number from 100 to 599: %q", line[9:12])
	}
	a := &response{status: int(status), reason: strings.TrimSpace(line[12:]), length: -1}
	old := line[7] == '0'
	for {
		line, _, err := in.headLine()
		if err != nil {
			return nil, err
		}
		if line == "" {
			break
		}
		if err := a.header(line); err != nil {
			return nil, err
		}
	}
	switch {
	case a.chunked && a.length >= 0:
		return nil, errors.New("the answer has both Content-Length and Transfer-Encoding")
	case a.chunked && old:
		return nil, errors.New("the answer has a Transfer-Encoding, which HTTP/1.0 does not know")
	}
	return a, nil
}

// header takes one line of a head.
func (a *response) header(line string) error {
	name, value, err := splitHeader(line)
	if err != nil {
		return err
	}
	switch strings.ToLower(name) {
	case "location":
		a.location = value
	case "content-encoding":
		if value != "" && !strings.EqualFold(value, "identity") {
			a.encoding = value
		}
	case "content-length":
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil {
			return fmt.Errorf("the answer's Content-Length is invalid: %q", clip(value))
		}
		if a.length >= 0 {
			return errors.New("the answer has two Content-Lengths")
		}
		a.length = int64(n)
	case "transfer-encoding":
		if a.chunked || !strings.EqualFold(value, "chunked") {
			return fmt.Errorf("the answer has a Transfer-Encoding other than chunked: %q", clip(value))
		}
		a.chunked = true
	}
	return nil
}

func splitHeader(line string) (name, value string, err error) {
	name, value, ok := strings.Cut(line, ":")
	if !ok || !isToken(name) {
		return "", "", fmt.Errorf("a header of the answer is malformed: %q", clip(line))
	}
	return name, strings.Trim(value, " \t"), nil
}

func (in *reader) body(a *response) ([]byte, error) {
	switch {
	case a.status == 204:
		return nil, nil // it has none, whatever its head says
	case a.chunked:
		return in.chunks()
	case a.length > maxBody:
		return nil, errTooLong
	case a.length >= 0:
		body := make([]byte, a.length)
		n, err := io.ReadFull(in, body)
		if err = cut(err); err == errCut {
			err = fmt.Errorf("%w: %d of %d bytes came", err, n, a.length)
		}
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(in, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLong
	}
	return body, cut(err)
}

// chunks reads a body in chunks and the trailers behind it, which it drops. Here a line ends in CR LF: two readers that
// take other ends differently see different bodies.
func (in *reader) chunks() ([]byte, error) {
	var body []byte
	for {
		line, crlf, err := in.line()
		if err == bufio.ErrBufferFull {
			err = errors.New("a chunk of the answer has a size line without end")
		}
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(strings.TrimRight(line, " \t"), ";")
		n, err := strconv.ParseUint(size, 16, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && n > uint64(maxBody-len(body)):
			return nil, errTooLong
		case err != nil || !crlf || len(size) > 16 || len(line) > maxChunkLine:
			return nil, fmt.Errorf("a chunk of the answer has a malformed size: %q", clip(line))
		case n == 0:
			return body, in.trailers()
		}
		end := len(body) + int(n)
		body = slices.Grow(body, int(n)+2)[:end+2]
		if _, err := io.ReadFull(in, body[end-int(n):]); err != nil {
			return nil, cut(err)
		}
		if string(body[end:]) != "\r\n" {
			return nil, errors.New("a chunk of the answer is longer than its size says")
		}
		body = body[:end]
	}
}

func (in *reader) trailers() error {
	for {
		line, crlf, err := in.headLine()
		if err != nil || line == "" && crlf {
			return err
		}
		if _, _, err := splitHeader(line); err != nil {
			return err
		}
		if !crlf {
			return errors.New("a trailer of the answer does not end in CR LF")
		}
	}
}

// headLine reads a line that counts as part of a head.
func (in *reader) headLine() (text string, crlf bool, err error) {
	text, crlf, err = in.line()
	if in.left -= len(text) + 2; in.left < 0 || err == bufio.ErrBufferFull {
		return "", false, fmt.Errorf("the answer's headers are more than %d KiB", maxHead>>10)
	}
	return text, crlf, err
}

// line reads a line and takes its end off, which is LF or CR LF.
func (in *reader) line() (text string, crlf bool, err error) {
	b, err := in.ReadSlice('\n')
	if err != nil {
		return "", false, cut(err)
	}
	text, crlf = strings.CutSuffix(string(b[:len(b)-1]), "\r")
	if hasControl(text) {
		return "", false, fmt.Errorf("a line of the answer has a control character: %q", clip(text))
	}
	return text, crlf, nil
}

// cut names an end that came too early. A reset is none of a whole answer either: it is what the system sends when a
// server closes and has not read the request, and on its way it can overtake the answer.
func cut(err error) error {
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errCut
	case errors.Is(err, syscall.ECONNRESET):
		return fmt.Errorf("%w; a server has to read the whole request before it closes, or to send a Content-Length", err)
	}
	return err
}

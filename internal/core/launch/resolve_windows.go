package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"golang.org/x/sys/windows"
)

// powerShells are the names of PowerShell, the newer version first.
var powerShells = []string{"pwsh", "powershell"}

// pythons are the names of Python. The launcher comes first, because it knows where Python is installed.
var pythons = []string{"py", "python3", "python"}

// lookPath finds the file of a program: the path itself if it has an extension, else with an extension of PATHEXT, else
// a script without an extension.
func lookPath(path string, env []string) (string, error) {
	path = filepath.Clean(path) // without slashes, because a slash begins a switch of cmd.exe
	if filepath.Ext(path) != "" && isFile(path) {
		return path, nil
	}
	extensions := lookup(env, "PATHEXT")
	if extensions == "" {
		extensions = ".COM;.EXE;.BAT;.CMD"
	}
	for _, extension := range filepath.SplitList(extensions) {
		if extension != "" && isFile(path+extension) {
			return path + strings.ToLower(extension), nil
		}
	}
	if isFile(path) {
		return path, nil
	}
	if _, err := os.Stat(path); err == nil {
		return "", errors.New("not a file")
	}
	return "", fs.ErrNotExist
}

// pathFault reports that a path depends on the current drive or its current folder; otherwise "".
func pathFault(name string) string {
	volume, slashed := filepath.VolumeName(name), filepath.ToSlash(name)
	switch {
	case filepath.IsAbs(name):
		return ""
	case volume != "":
		return fmt.Sprintf("it starts in the current folder of drive %s; write %s/%s", volume, volume,
			slashed[len(volume):])
	case len(slashed) > 2 && slashed[0] == '/' && slashed[2] == '/' && filepath.VolumeName(slashed[1:2]+":") != "":
		return fmt.Sprintf("a path of Git's sh, which other programs do not know; write %s:%s",
			strings.ToUpper(slashed[1:2]), slashed[2:])
	case slashed[0] == '/':
		return "a path without a drive; write one, such as C:" + slashed
	}
	return ""
}

// findProgram finds the program of an array. It finds sh and bash where string commands run.
func findProgram(name, dir string, env []string) (path string, err error) {
	if shell := strings.TrimSuffix(strings.ToLower(name), ".exe"); shell == "sh" || shell == "bash" {
		return findShell(shell, dir, env)
	}
	return find(name, dir, env)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeIrregular != 0) // an alias of the Store
}

// findShell finds sh or bash: in Git for Windows, which need not be in PATH, else in PATH.
func findShell(name, dir string, env []string) (path string, err error) {
	folders := []string{filepath.Join(lookup(env, "ProgramFiles"), "Git"),
		filepath.Join(lookup(env, "LOCALAPPDATA"), "Programs", "Git")}
	if git, err := find("git", dir, env); err == nil { // git is in Git's cmd, bin or mingw64\bin
		folders = append(folders, filepath.Dir(filepath.Dir(git)), filepath.Dir(filepath.Dir(filepath.Dir(git))))
	}
	for _, folder := range folders {
		if path := filepath.Join(folder, "bin", name+".exe"); filepath.IsAbs(path) && isFile(path) {
			return path, nil
		}
	}
	if path, err = find(name, dir, env); err != nil {
		err = fmt.Errorf("%w; install Git for Windows, which has it, or write an array with another program", err)
	}
	return path, err
}

// stubFault reports that a file only offers to install a program, or would run the hook in another system (WSL);
// otherwise "".
func stubFault(path string) string {
	folder, name := filepath.Split(strings.ToLower(path))
	system, err := windows.GetSystemDirectory()
	switch {
	case (name == "bash.exe" || name == "wsl.exe") && err == nil &&
		(filepath.Clean(folder) == strings.ToLower(system) || strings.Contains(folder, `\windowsapps\`)):
		return path + " starts WSL, another system with other paths"
	case strings.Contains(folder, `\microsoft\windowsapps\`) && isStoreOffer(path):
		return path + " only opens the Microsoft Store"
	}
	return ""
}

// isStoreOffer reports whether an alias of the Store has no installed program. The alias's reparse point names the
// program to start.
func isStoreOffer(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return true
	}
	file, err := windows.CreateFile(name, 0, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return true
	}
	defer windows.CloseHandle(file)
	data := make([]byte, windows.MAXIMUM_REPARSE_DATA_BUFFER_SIZE)
	var n uint32
	err = windows.DeviceIoControl(file, windows.FSCTL_GET_REPARSE_POINT, nil, 0, &data[0], uint32(len(data)), &n, nil)
	text := bytes.ReplaceAll(data[:n], []byte{0}, nil) // from UTF-16 of ASCII
	return err != nil || bytes.Contains(text, []byte("AppInstallerPythonRedirector"))
}

// Resolve returns the program to start for path: the interpreter of a script, because Windows does not find it, or path
// itself.
func Resolve(path string, argv []string, dir string, env []string) (string, []string, error) {
	name, args := argv[0], argv[1:]
	if n := utf16Length(dir); n > longestFolder {
		return "", nil, fmt.Errorf("%s: the path of the folder that it runs in has %d characters, and Windows starts "+
			"no program in one of more than %d", name, n, longestFolder)
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".exe", ".com":
		return extendedPath(path), argv, nil
	case ".bat", ".cmd":
		return launchBatch(path, argv, dir)
	case ".ps1":
		return launchWith(powerShells, name, path, dir, env, slices.Concat([]string{"-NoProfile", "-NonInteractive",
			"-ExecutionPolicy", "Bypass", "-File", path}, args))
	case ".py":
		return launchWith(pythons, name, path, dir, env, slices.Concat([]string{path}, args))
	}
	return launchScript(path, argv, dir, env)
}

// cmdSpecial are the characters with a meaning for cmd.exe, in quotes or not, or that end its line.
const cmdSpecial = "\"%!^&|<>\r\n\x00"

// cmdSeparators separate words for cmd.exe, like blanks, outside of quotes. Only a word with a blank gets quotes.
const cmdSeparators = ",;="

// launchBatch runs a batch file with cmd.exe. cmd.exe parses its whole command line as text, also inside quotes, so
// launchBatch refuses words that cmd.exe could take for more than a word. Without call, cmd.exe would remove quotes
// that are needed.
func launchBatch(path string, argv []string, dir string) (string, []string, error) {
	if fault := batchFault(path, dir); fault != "" {
		return "", nil, fmt.Errorf("%s: %s", argv[0], fault)
	}
	for _, word := range slices.Concat([]string{path}, argv[1:]) {
		found := "/?" // call would print its help instead of running the file
		if i := strings.IndexAny(word, cmdSeparators); i >= 0 && !strings.ContainsAny(word, " \t") {
			found = word[i : i+1]
		}
		if i := strings.IndexAny(word, cmdSpecial); i >= 0 {
			found = word[i : i+1]
		}
		if strings.Contains(word, found) {
			return "", nil, fmt.Errorf("%s: cmd.exe, which runs it, would read the %q in %q as more than a text; "+
				"write the hook as a program or as a .ps1 or .py file", argv[0], found, word)
		}
	}
	system, err := windows.GetSystemDirectory() // not %ComSpec%, which can be anything
	if err != nil {
		return "", nil, err
	}
	call := []string{"cmd.exe", "/d", "/e:on", "/v:off", "/c", "call", path}
	return filepath.Join(system, "cmd.exe"), slices.Concat(call, argv[1:]), nil
}

const (
	longestFolder = windows.MAX_PATH - 2 // accepted by CreateProcess
	longestOfCmd  = windows.MAX_PATH - 1 // path of a file that cmd.exe can open
)

// batchFault reports why cmd.exe would not run a whole batch file, or not in the folder; otherwise "".
func batchFault(path, dir string) string {
	switch {
	case utf16Length(path) > longestOfCmd:
		return fmt.Sprintf("cmd.exe, which runs it, opens no path of more than %d characters; write the hook as a "+
			"program or as a .ps1 or .py file", longestOfCmd)
	case strings.HasPrefix(filepath.FromSlash(dir), `\\`):
		return fmt.Sprintf("cmd.exe, which runs it, cannot run in %s and would run in the folder of Windows; give "+
			"the share a drive, or write the hook as a program or as a .ps1 or .py file", dir)
	}
	file, err := os.Open(path)
	if err != nil {
		return "" // the call reports the error
	}
	defer file.Close()
	start := make([]byte, len("\ufeff"))
	n, _ := io.ReadFull(file, start)
	if strings.HasPrefix(string(start[:n]), "\ufeff") || isUTF16(start[:n]) {
		return "there is a byte order mark before its first line, which cmd.exe takes for a part of it; save it without"
	}
	return ""
}

// utf16Length is the length of a path as Windows counts it.
func utf16Length(path string) int { return len(utf16.Encode([]rune(path))) }

// extendedPath returns a long path in the \\?\ form that Windows accepts for a program.
func extendedPath(path string) string {
	if utf16Length(path) < windows.MAX_PATH || strings.HasPrefix(path, `\\?\`) {
		return path
	}
	if share, is := strings.CutPrefix(path, `\\`); is {
		return `\\?\UNC\` + share
	}
	return `\\?\` + path
}

// isUTF16 reports whether a file begins with a UTF-16 byte order mark, as written by > in Windows PowerShell.
func isUTF16(start []byte) bool {
	return bytes.HasPrefix(start, []byte{0xff, 0xfe}) || bytes.HasPrefix(start, []byte{0xfe, 0xff})
}

// launchWith starts the first of several interpreters that exists.
func launchWith(names []string, script, path, dir string, env, args []string) (string, []string, error) {
	interpreter, err := findFirst(names, dir, env)
	if err != nil {
		return "", nil, fmt.Errorf("%s: its interpreter cannot run: %w", script, err)
	}
	if extension := strings.ToLower(filepath.Ext(interpreter)); extension != ".exe" && extension != ".com" {
		return "", nil, fmt.Errorf("%s: its interpreter, %s, is a script itself", script, interpreter)
	}
	return interpreter, slices.Concat([]string{filepath.Base(interpreter)}, args), nil
}

// launchScript starts the interpreter in the #! line of a script. Only the last part of the interpreter's path counts.
func launchScript(path string, argv []string, dir string, env []string) (string, []string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", nil, startError(argv[0], err)
	}
	defer file.Close()
	start := make([]byte, 512)
	n, _ := io.ReadFull(file, start)
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	if strings.HasPrefix(line, "\ufeff#!") {
		return "", nil, errors.New(argv[0] + markFault)
	}
	if isUTF16(start[:n]) {
		return "", nil, errors.New(argv[0] + ": a script in UTF-16, which nothing but PowerShell reads; save it as " +
			"UTF-8 without a byte order mark")
	}
	line, isScript := strings.CutPrefix(line, "#!")
	if !isScript {
		return "", nil, fmt.Errorf("%s: neither a program that Windows knows by its extension nor a script with a #! "+
			"line", argv[0])
	}
	words := strings.Fields(line)
	if len(words) > 0 && unixBase(words[0]) == "env" {
		words = words[1:]
		if len(words) > 0 && words[0] == "-S" {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return "", nil, fmt.Errorf("%s: its #! line names no interpreter; write #!/bin/sh", argv[0])
	}
	interpreter := unixBase(words[0])
	args := slices.Concat(words[1:], []string{filepath.ToSlash(path)}, argv[1:])
	switch {
	case interpreter == "sh" || interpreter == "bash":
		found, err := findShell(interpreter, dir, env)
		if err != nil {
			return "", nil, fmt.Errorf("%s: the interpreter of its #! line cannot run: %w", argv[0], err)
		}
		return found, slices.Concat([]string{interpreter}, args), nil
	case strings.HasPrefix(interpreter, "python"):
		return launchWith(pythons, argv[0], path, dir, env, args)
	}
	return launchWith([]string{interpreter}, argv[0], path, dir, env, args)
}

// unixBase is the last part of a path with slashes.
func unixBase(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

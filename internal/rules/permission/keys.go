package permission

import "strings"

// keyUse is what a tool uses the argument of a key for.
type keyUse int

// A key without a table entry may be for anything: a path, or a glob.
const (
	useUnknown keyUse = iota
	usePath           // a file
	useFolder         // a file, or the folder that a folder tool works on
	useDir            // a folder that may be the start of relative paths
	useBase           // the start of relative paths; not a path by itself for a file tool
	useGlob           // chooses files
	usePattern        // chooses files, or is searched for in files
	useContent        // as useUnknown, but a patch in it is text for a file
	useNone           // neither a path nor a choice of files
)

// isPath reports whether for a file tool the argument itself is a path.
func (u keyUse) isPath() bool { return u == usePath || u == useFolder || u == useDir }

// useOf returns the use of an argument by the key's name, as returned by keyName. The tables have the keys in the
// schemas of the clients' tools, and similar names. Keys of useNone hold texts for people, models and files, or exclude
// files.
func useOf(name string) keyUse {
	switch name {
	case "from", "to", "src", "dst", "source", "sourcepath", "sources", "destination", "destinationpath", "frompath",
		"topath", "oldpath", "newpath", "target", "targetfile", "uri", "filename", "filenames", "imagepath",
		"imagepaths", "scriptpath", "workspacepath":
		return usePath
	case "path", "paths", "file", "files", "filepath", "filepaths", "notebookpath", "absolutepath", "relativepath",
		"targetpath", "searchpath", "searchpaths", "startpath", "relativeworkspacepath":
		return useFolder
	case "dir", "dirs", "dirpath", "directory", "directories", "directorypath", "folder", "folders", "folderpath",
		"targetdir", "targetdirectory", "targetfolder", "searchdir", "searchdirectory", "searchfolder", "searchroot",
		"startdir", "startdirectory":
		return useDir
	case "root", "rootdir", "rootdirectory", "rootfolder", "rootpath", "basedir", "basedirectory", "basefolder",
		"basepath", "cwd", "workdir", "workingdir", "workingdirectory":
		return useBase
	case "glob", "globs", "globpattern", "globpatterns", "include", "includes", "includepattern", "includepatterns",
		"filepattern", "filepatterns":
		return useGlob
	case "pattern", "patterns":
		return usePattern
	case "code", "newcode",
		"content", "contents", "filetext", "text", "body", "oldstring", "newstring", "oldstr", "newstr", "oldtext",
		"newtext", "oldsource", "newsource", "instruction", "instructions", "description", "explanation", "prompt",
		"systemprompt", "message", "reason", "summary", "title", "question", "justification", "query", "queries",
		"regex", "regexp", "substringpattern", "exclude", "excludepattern", "excludepatterns", "ignore",
		"ignorepatterns", "outputmode", "type", "celltype", "cellid", "editmode", "imagequality", "pages", "mode",
		"encoding", "language":
		return useNone
	}
	for _, start := range [...]string{"data", "new", "old", "insert", "replace", "code"} {
		if strings.HasPrefix(name, start) {
			return useContent
		}
	}
	if strings.Contains(name, "content") && !strings.HasPrefix(name, "patch") {
		return useContent
	}
	return useUnknown
}

// keyName returns the name of a key in one spelling: file_path, filePath and file-path are the same.
func keyName(key string) string {
	if strings.ContainsAny(key, "_-") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", "")
	}
	return strings.ToLower(key)
}

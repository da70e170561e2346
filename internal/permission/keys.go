package permission

import "strings"

// keyUse is what a tool uses the argument under a key for.
type keyUse int

// A key that is in no table may be for anything: a path, or a glob.
const (
	useUnknown keyUse = iota
	usePath           // a file
	useFolder         // a file, or the folder that a tool for folders works on
	useDir            // a folder, from which relative paths may start
	useBase           // the folder from which relative paths start, and no path by itself for a tool for files
	useGlob           // it chooses files
	usePattern        // it chooses files, or is looked for in them
	useNone           // it is no path and chooses no files
)

// isPath reports whether the argument itself is a path for a tool for files.
func (u keyUse) isPath() bool { return u == usePath || u == useFolder || u == useDir }

// useOf returns what an argument is for by the name of its key, as keyName returns it: the keys in the schemas of the
// clients' tools, and names like them. Those of useNone have texts for people, models and files, or leave files out.
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
	case "content", "contents", "filetext", "text", "body", "oldstring", "newstring", "oldstr", "newstr", "oldtext",
		"newtext", "oldsource", "newsource", "instruction", "instructions", "description", "explanation", "prompt",
		"systemprompt", "message", "reason", "summary", "title", "question", "justification", "query", "queries",
		"regex", "regexp", "exclude", "excludepattern", "excludepatterns", "ignore", "ignorepatterns", "outputmode",
		"type", "celltype", "cellid", "editmode", "imagequality", "pages", "mode", "encoding", "language":
		return useNone
	}
	return useUnknown
}

// keyName returns the name of a key without what tools write in different ways: file_path, filePath and file-path.
func keyName(key string) string {
	if strings.ContainsAny(key, "_-") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", "")
	}
	return strings.ToLower(key)
}

package permission

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hookrun/hookrun/internal/testsupport/testall"
)

// workspace makes the files of a project and returns its folder, and that of the home.
func workspace(t *testing.T) (ws, home string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root = filepath.ToSlash(root) // which JSON, globs and URLs can hold as it is
	ws, home = root+"/ws", root+"/home"
	require.NoError(t, os.MkdirAll(home, 0o700))
	for _, file := range strings.Fields(`go.mod go.sum README.md Makefile package.json yarn.lock .env main.go cmd/app/main.go
		internal/a.go internal/a_test.go internal/deep/b.go src/index.ts src/app/page.tsx src/app/[id]/page.tsx
		src/app/(group)/page.tsx docs/rules.md docs/img/a.png secrets/key secrets/deep/key.pem infra/prod/main.tf
		infra/dev/main.tf testdata/x.json .github/workflows/ci.yml notebooks/a.ipynb scripts/run.sh`) {
		path := filepath.Join(ws, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	return ws, home
}

// meets reports whether a rule matches a call in a workspace.
func meets(rule, ws, home, input string) (bool, string) {
	r := Parse(rule)
	return r.Match(Call{Tool: r.Tool(), Input: input, Dir: ws, Root: ws, Home: home, Project: true})
}

// TestFolders holds rules against tools for folders.
func TestFolders(t *testing.T) {
	ws, home := workspace(t)
	for _, test := range []struct {
		rule, input string
		want        bool
	}{
		{"secrets/**", `{"pattern":"x","path":"secrets"}`, true},
		{"secrets/**", `{"pattern":"x","path":"secrets/"}`, true},
		{"secrets/**", `{"pattern":"x","path":"SECRETS"}`, true},
		{"secrets/**", `{"pattern":"x","path":"secrets/deep"}`, true},
		{"secrets/**", `{"pattern":"x","path":"."}`, true},
		{"secrets/**", `{"pattern":"x","path":""}`, true},
		{"secrets/**", `{"pattern":"x"}`, true},
		{"secrets/**", `{}`, true},
		{"secrets/**", `{"pattern":"x","path":null}`, true},
		{"secrets/**", `{"pattern":"x","path":"/"}`, true},
		{"secrets/**", `{"pattern":"x","path":".."}`, true},
		{"secrets/**", `{"pattern":"x","path":"src/../"}`, true},
		{"secrets/**", `{"pattern":"x","path":["src","secrets"]}`, true},
		{"secrets/**", `{"pattern":"x","path":"src"}`, false},
		{"secrets/**", `{"pattern":"x","path":["src","docs"]}`, false},
		{"secrets/**", `{"pattern":"secrets/","path":"src"}`, false},
		{"secrets/**", `{"pattern":"x","path":"secrets-not"}`, false},
		{"secrets/**", `{"pattern":"x","path":"README.md"}`, false},
		{"secrets/**", `{"pattern":"x","where":"src"}`, true}, // it may be another key than the folder's
		{"secrets/**", `{"pattern":"x","where":"secrets","path":"src"}`, true},
		{"secrets/", `{"pattern":"x","path":"secrets"}`, true},
		{"secrets/*", `{"pattern":"x","path":"secrets"}`, true},
		{"secrets", `{"pattern":"x","path":"secrets"}`, true},
		{"/secrets/deep/key.pem", `{"pattern":"x","path":"secrets"}`, true},
		{"/secrets/deep/key.pem", `{"pattern":"x","path":"src"}`, false},
		{"secrets/*/key.pem", `{"pattern":"x","path":"secrets/deep"}`, true},
		{"~/.ssh/**", `{"pattern":"x","path":"~"}`, true},
		{"~/.ssh/**", `{"pattern":"x","path":"~/.ssh"}`, true},
		{"~/.ssh/**", `{"pattern":"x","path":"/"}`, true},
		{"~/.ssh/**", `{"pattern":"x","path":"."}`, false},
		{"//etc/**", `{"pattern":"x","path":"/etc/ssl"}`, true},
		{"//etc/**", `{"pattern":"x","path":"/"}`, true},
		{"//etc/**", `{"pattern":"x"}`, false},

		{"**/*.lock", `{"pattern":"x","path":"."}`, true},
		{"**/*.lock", `{"pattern":"x","path":"src"}`, true},
		{"**/*.lock", `{"pattern":"x"}`, true},
		{"**/*.lock", `{"pattern":"x","path":"main.go"}`, false}, // a file
		{"**/*.lock", `{"pattern":"x","path":"yarn.lock"}`, true},
		{"**/*.lock", `{"pattern":"x","path":".","glob":"*.ts"}`, false},
		{"**/*.lock", `{"pattern":"x","glob":"*.{ts,tsx}"}`, false},
		{"**/*.lock", `{"pattern":"x","glob":"*.ts,*.tsx"}`, false},
		{"**/*.lock", `{"pattern":"x","glob":"*.ts *.lock"}`, true},
		{"**/*.lock", `{"pattern":"x","include":"src/**/*.go"}`, false},
		{"**/*.lock", `{"pattern":"x","include":["*.go","*.lock"]}`, true},
		{"**/*.lock", `{"pattern":"x","glob":"!*.ts"}`, true},
		{"**/*.lock", `{"pattern":"x","glob":"Makefile"}`, false},
		{"**/*.lock", `{"pattern":"x","glob":"*.LOCK"}`, true},
		{"**/*.lock", `{"pattern":"x","glob":"*.[kl]ock"}`, true},
		{"**/*.lock", `{"pattern":"x","glob":"yarn.*"}`, true},
		{"**/*.lock", `{"pattern":"x","path":"src","glob":"../*.lock"}`, true},
		{"secrets/**", `{"pattern":"x","glob":"*.ts"}`, true}, // there may be some in secrets
		{"secrets/**", `{"pattern":"x","glob":"src/**"}`, false},
		{"secrets/**", `{"pattern":"x","path":"src","glob":"secrets/**"}`, false},
		{"secrets/**", `{"pattern":"x","path":"src","glob":"../secrets/*"}`, true},
		{"secrets/**", `{"pattern":"x","path":"src","glob":"*/../../secrets/*"}`, true},
		{"secrets/**", `{"pattern":"x","cwd":"secrets"}`, true},
		{"secrets/**", `{"pattern":"x","cwd":"..","path":"ws/secrets"}`, true},
		{"!x", `{"pattern":"x"}`, false},
	} {
		for _, tool := range []string{"fs_grep", "fs_list"} {
			got, why := meets(tool+"("+test.rule+")", ws, home, test.input)
			if tool == "fs_list" && strings.Contains(test.input, `"pattern":"secrets/"`) {
				continue // which nobody searches for here
			}
			require.Equal(t, test.want, got, "%s(%s) on %s: %s", tool, test.rule, test.input, why)
			require.NotEmpty(t, why)
		}
	}
}

// TestGlobs holds rules against globs that find files.
func TestGlobs(t *testing.T) {
	ws, home := workspace(t)
	for glob, want := range map[string]bool{
		"secrets/**": true, "secrets/*": true, "./secrets/*.pem": true, ws + "/secrets/*": true, "s*/key": true,
		"**/key": true,
		"*/key":  true, "{secrets,x}/key": true, "{src,sec{rets,x}}/**": true, "[st]ecrets/key": true,
		"@(secrets|x)/key": true,
		"?ecrets/*":        true, "**": true, "*": true, "**/*": true, "secrets": true, "secrets/": true, "*.pem": true,
		"src/../secrets/*": true, "*/../secrets/*": true, "sec*": true, "S*/**": true, "secrets/deep/{a,key.pem}": true,
		"{1..3}/x": true, "{secrets/deep,src}/*": true, "/": true, "~/../ws/secrets/*": true, "\\\\secrets/*": true,

		"src/**": false, "src/**/*.ts": false, "{src,docs}/**": false, "src/secrets/**": false, ws + "/src/*": false,
		"secret/*": false, "secrets-not/**": false, "~/x/**": false, "t*/**": false, "cmd/*/main.go": false,
		"*.d/x/":    false,
		"docs/*.md": false, "/etc/*": false, ".github/**": false,
	} {
		for _, key := range []string{"pattern", "patterns"} {
			input := `{"` + key + `":"` + glob + `"}`
			if key == "patterns" {
				input = `{"patterns":["src/**","` + glob + `"]}`
			}
			got, why := meets("fs_glob(secrets/**)", ws, home, input)
			require.Equal(t, want, got, "%s: %s", input, why)
		}
		input := `{"include":["` + glob + `"]}`
		got, why := meets("fs_read(secrets/**)", ws, home, input)
		require.Equal(t, want, got, "%s: %s", input, why)
	}
	long := `"` + strings.Repeat("a", 200_000) + `"`
	for _, include := range []string{`["!src/**"]`, `" "`, `["src/*","\u0000"]`, long} {
		got, why := meets("fs_read(secrets/**)", ws, home, `{"include":`+include+`}`)
		require.True(t, got, "%.50s: %s", include, why)
		got, why = meets("fs_grep(secrets/**)", ws, home, `{"include":`+include+`}`)
		require.True(t, got, "%.50s: %s", include, why)
	}
	many := strings.Repeat("{a,b}", 1000)
	got, _ := meets("fs_glob(secrets/**)", ws, home, `{"pattern":"`+many+`"}`)
	require.True(t, got)
	got, _ = meets("fs_glob(secrets/**)", ws, home, `{"pattern":"{`+strings.Repeat("a,", 40_000)+`}/x"}`)
	require.True(t, got)
}

func TestReasonsOfReach(t *testing.T) {
	ws, home := workspace(t)
	for input, why := range map[string]string{
		`{"path":"secrets"}`:              `matches the path "secrets"`,
		`{"path":"secrets/deep"}`:         `matches the path "secrets/deep"`,
		`{"path":"."}`:                    `may mean files in the folder "."` + soItRuns,
		`{"path":".","glob":"*.pem"}`:     `may mean files that the glob "*.pem" chooses` + soItRuns,
		`{"path":".","glob":"secrets/*"}`: "matches the path " + quote(ws+"/secrets/"),
	} {
		rule := Parse("fs_grep(secrets/**)")
		call := Call{Tool: "fs_grep", Input: input, Dir: ws, Root: ws, Home: home, Project: true}
		got, because := rule.Match(call)
		require.True(t, got, input)
		require.Equal(t, why, because, input)
		if strings.HasSuffix(why, soItRuns) {
			require.Contains(t, rule.Doubt(call), "; name a folder, or a glob")
		} else {
			require.Empty(t, rule.Doubt(call))
		}
	}
}

// TestFoldersThroughLinks holds rules against folders and globs that lead elsewhere by symbolic links.
func TestFoldersThroughLinks(t *testing.T) {
	testall.NotOnWindows(t, "Wine makes no symbolic links, and Windows only with a right for it")
	ws, home := workspace(t)
	for link, target := range map[string]string{"s": "secrets", "up": "..", "here": ".", "d": "secrets/deep",
		"o": "src"} {
		require.NoError(t, os.Symlink(target, filepath.Join(ws, link)))
	}
	for input, want := range map[string]bool{
		`{"path":"s"}`: true, `{"path":"s/"}`: true, `{"path":"up"}`: true, `{"path":"here"}`: true,
		`{"path":"d"}`:      true,
		`{"path":"here/s"}`: true, `{"path":"o"}`: false, `{"path":"o/app"}`: false, `{"path":"o","glob":"s/*"}`: false,
		`{"path":"src","glob":"../s/*"}`: true,
	} {
		got, why := meets("fs_grep(secrets/**)", ws, home, input)
		require.Equal(t, want, got, "%s: %s", input, why)
	}
	for glob, want := range map[string]bool{"s/*": true, "here/s/**": true, "o/*": false} {
		got, why := meets("fs_glob(secrets/**)", ws, home, `{"pattern":"`+glob+`"}`)
		require.Equal(t, want, got, "%s: %s", glob, why)
	}
}

// TestNestedPaths holds rules against paths anywhere in the input of a tool, also where no table has the key.
func TestNestedPaths(t *testing.T) {
	ws, home := workspace(t)
	url := "/" + strings.TrimPrefix(ws, "/")
	for input, want := range map[string]bool{
		`{"path":"ok","edit":{"path":"yarn.lock"}}`:                      true,
		`{"path":"ok","edit":{"name":"yarn.lock"}}`:                      true,
		`{"path":"ok","edits":[{"file":{"path":"yarn.lock"}}]}`:          true,
		`{"path":"ok","edits":[[["yarn.lock"]]]}`:                        true,
		`{"path":"ok","changes":{"yarn.lock":{"content":"x"}}}`:          true,
		`{"path":"ok","changes":{"a.go":{"content":"x"}}}`:               false,
		`{"path":"ok","a/yarn.lock":1}`:                                  true,
		`{"path":"ok","where":"yarn.lock"}`:                              true,
		`{"path":"ok","where":"./a/../yarn.lock"}`:                       true,
		`{"path":"ok","args":"{\"path\":\"yarn.lock\"}"}`:                true,
		`{"path":"ok","args":"[\"yarn.lock\"]"}`:                         true,
		`{"path":"ok","command":{"path":"yarn.lock"}}`:                   true,
		`{"path":"ok","where":"*/*.lock"}`:                               true,
		`{"path":"ok","where":"yarn.go"}`:                                false,
		`{"path":"ok","where":"see yarn.lock\nand more"}`:                false,
		`{"path":"ok","where":"https://a.com/yarn.lock"}`:                false,
		`{"path":"ok","where":"` + strings.Repeat("a", 5000) + `.lock"}`: false,
		`{"path":"ok","content":"yarn.lock"}`:                            false,
		`{"path":"ok","edits":[{"old_string":"yarn.lock"}]}`:             false,
		`{"path":"ok","description":"the yarn.lock"}`:                    false,
		`{"path":"ok","count":7,"deep":true,"no":null}`:                  false,
		`{"where":"ok"}`: true, // no path that anybody knows
		`{"path":"ok","a":` + strings.Repeat(`{"a":`, 100) + `1` + strings.Repeat(`}`, 101): true,
		`{"path":"ok","many":[` + strings.Repeat(`"a",`, 2000) + `"b"]}`:                    true,

		`{"path":"yarn.lock\u0000.txt"}`:                         true,
		`{"path":"ok","where":"yarn.lock\u0000.x"}`:              true,
		`{"path":"ok\u0000"}`:                                    true, // a tool in C reads another path than one in Go
		`{"path":"file://` + url + `/yarn.lock"}`:                true,
		`{"path":"file://` + url + `/yarn.loc%6b"}`:              true,
		`{"path":"FILE://` + url + `/y%61rn.lock"}`:              true,
		`{"path":"file://localhost` + url + `/yarn.lock"}`:       true,
		`{"path":"file://` + url + `/yarn.lock#L3"}`:             true,
		`{"path":"file:yarn.loc%6b"}`:                            true,
		`{"path":"file://` + url + `/%zz"}`:                      true,
		`{"path":"file://` + url + `/a%20b.go"}`:                 false,
		`{"path":"ok","where":"file://` + url + `/yarn.loc%6b"}`: true,
		`{"path":"yarn.lock:10"}`:                                true,
		`{"path":"yarn.lock:10:5"}`:                              true,
		`{"path":"main.go:10"}`:                                  false,
		`{"file_path":"100%.go"}`:                                false,

		`{"directory":"a","name":"yarn.lock"}`: true,
		`{"cwd":"a","path":"yarn.lock"}`:       true,
	} {
		input = strings.ReplaceAll(input, `\\`, `\`)
		for _, tool := range []string{"fs_write", "fs_read", "fs_delete"} {
			got, why := meets(tool+"(**/*.lock)", ws, home, input)
			require.Equal(t, want, got, "%s %.200s: %s", tool, input, why)
		}
	}
	for input, want := range map[string]bool{ // relative paths start from another argument
		`{"directory":"secrets","name":"key"}`:        true,
		`{"cwd":"secrets","path":"key"}`:              true,
		`{"path":"key","root":"/` + ws + `/secrets"}`: true,
		`{"path":"secrets","file":"key"}`:             true,
		`{"path":"secrets/../src","file":"key"}`:      false,
		`{"cwd":"src","path":"key"}`:                  false,
		`{"path":"secrets"}`:                          true,
		`{"path":"."}`:                                false,
	} {
		got, why := meets("fs_write(secrets/**)", ws, home, input)
		require.Equal(t, want, got, "%s: %s", input, why)
	}
	for rule, want := range map[string]bool{"secrets/**": true, "**/*.lock": true, "/src/**": false, "*.pem": true} {
		got, why := meets("fs_delete("+rule+")", ws, home, `{"path":"."}`)
		require.Equal(t, want || rule == "/src/**", got, "%s: %s", rule, why)
		got, why = meets("fs_move("+rule+")", ws, home, `{"source":"docs","destination":"old"}`)
		require.Equal(t, want && rule[0] == '*', got, "%s: %s", rule, why)
	}
}

// Many paths and folders that they may start from make neither a way round a rule nor a call that takes long.
func TestBoundOnReach(t *testing.T) {
	testall.Alone(t)
	ws, home := workspace(t)
	folders := `{"path":"src"`
	for i := range 1000 {
		folders += `,"pa` + strings.Repeat("_", i%100) + `th":"src"`
	}
	texts := `[` + strings.Repeat(`"src/a",`, 5000) + `"b"]`
	for _, input := range []string{
		folders + `}`, folders + `,"names":` + texts + `}`, `{"dir":"src","path":"src","paths":` + texts + `}`,
		`{"path":"src","glob":"` + strings.Repeat("src/*,", 600) + `","paths":` + texts + `}`,
	} {
		for _, tool := range []string{"fs_grep", "fs_glob", "fs_write", "save"} {
			got, why := meets(tool+"(secrets/**)", ws, home, input)
			require.True(t, got || !strings.HasPrefix(input, folders), "%s %.80s: %s", tool, input, why)
		}
	}
}

// keyNames are names that tools may have for a path.
const keyNames = `path paths Path PATH file files File filename file_name fileName filepath file_path filePath file-path
	FilePath filePaths file_paths notebook notebook_path notebookPath abs abs_path absolute absolute_path absolutePath
	rel rel_path relative_path relativePath relative_workspace_path target target_path targetPath target_file targetFile
	target_dir target_directory targetDirectory target_folder targetFolder dir dirs dirname dir_name dirPath dir_path
	directory directories directory_path directoryPath folder folders folder_path folderPath folder_name folderName root
	root_path rootPath root_dir rootDir root_directory base base_path basePath base_dir baseDir base_directory basedir
	cwd workdir work_dir workDir working_dir workingDir working_directory workingDirectory workspace workspace_path
	workspacePath workspace_root workspaceRoot project project_path projectPath project_root projectRoot search_path
	searchPath search_dir search_directory search_root search_folder start start_path start_dir startPath in_path inPath
	input_path inputPath input_file inputFile input_dir output_path outputPath output_file outputFile output_dir
	source source_path sourcePath source_file sourceFile source_dir src src_path srcPath dest dest_path destPath
	destination destination_path destinationPath dst dst_path from from_path fromPath to to_path toPath old_path oldPath
	new_path newPath uri file_uri fileUri location loc where scope scopes module resource document doc artifact
	entry item subject object context_path repo repo_path repository_path prefix path_prefix name tree node
	local_path localPath remote_path full_path fullPath real_path config config_path configPath asset asset_path`

// TestKeyNames holds rules against a path under any key, alone and beside one under a key that every tool has.
func TestKeyNames(t *testing.T) {
	testall.Alone(t)
	ws, home := workspace(t)
	names := strings.Fields(keyNames)
	require.GreaterOrEqual(t, len(names), 137)
	for _, name := range names {
		for _, tool := range []string{"fs_grep", "fs_glob", "fs_list", "fs_read", "fs_write", "fs_delete"} {
			for _, value := range []string{`"secrets/key"`, `"secrets"`, `["secrets"]`, `{"x":"secrets/key"}`} {
				for _, beside := range []string{``, `,"path":"src"`} {
					input := `{"` + name + `":` + value + beside + `,"pattern":"src/*"}`
					if name == "path" && beside != "" {
						continue
					}
					got, why := meets(tool+"(secrets/**)", ws, home, input)
					require.True(t, got, "%s %s: %s", tool, input, why)
				}
			}
			input := `{"` + name + `":"src/a.go","path":"src","pattern":"src/*"}`
			got, why := meets(tool+"(secrets/**)", ws, home, input)
			require.False(t, got, "%s %s: %s", tool, input, why)
		}
	}
}

// An unknown tool has no folder of its own, and its arguments may be for anything.
func TestReachOfUnknownTools(t *testing.T) {
	ws, home := workspace(t)
	for _, test := range []struct {
		rule, input string
		want        bool
	}{
		{"save(secrets/**)", `{"path":"secrets"}`, true},
		{"save(secrets/**)", `{"path":"."}`, true},
		{"save(secrets/**)", `{"path":"new"}`, false},
		{"save(**/*.lock)", `{"path":"src"}`, true}, // a folder
		{"save(**/*.lock)", `{"path":"main.go"}`, false},
		{"save(**/*.lock)", `{"path":"ok","edit":{"path":"yarn.lock"}}`, true},
		{"save(yarn.lock)", `{"path":"ok","changes":{"yarn.lock":1}}`, true},
		{"save(secrets/**)", `{"files":["src/a"],"pattern":"s*/key"}`, true},
		{"run(git *)", `{"cmd":"ls","note":"git push"}`, false},
		{"run(src/*)", `{"cmd":"ls","note":"src/a"}`, true},
	} {
		got, why := meets(test.rule, ws, home, test.input)
		require.Equal(t, test.want, got, "%s on %s: %s", test.rule, test.input, why)
	}
}

// TestDailyFiles holds rules for paths against calls of every day that none of them is for.
func TestDailyFiles(t *testing.T) {
	ws, home := workspace(t)
	anywhere := []string{"secrets/**", "/secrets", "infra/prod/**", "infra/prod/*.tf", "~/.ssh/**",
		"~/.aws/credentials",
		"//etc/**", "./migrations/**", "db/*.sql"}
	files := append([]string{"**/*.lock", "*.pem", ".env", ".env.local", "**/id_rsa", "*.key",
		"**/secrets/**"}, anywhere...)
	calls := 0
	try := func(tool string, rules []string, inputs ...string) {
		t.Helper()
		for _, input := range inputs {
			calls++
			input = strings.ReplaceAll(input, "$WS", ws)
			require.True(t, json.Valid([]byte(input)), input)
			for _, rule := range rules {
				got, why := meets(tool+"("+rule+")", ws, home, input)
				require.False(t, got, "%s(%s) on %s: %s", tool, rule, input, why)
			}
		}
	}
	try("fs_read", files,
		`{"file_path":"$WS/main.go"}`, `{"file_path":"$WS/main.go","offset":100,"limit":50}`, `{"path":"README.md"}`,
		`{"path":"./src/index.ts"}`, `{"file_path":"src/app/[id]/page.tsx"}`, `{"path":"src/app/(group)/page.tsx"}`,
		`{"filePath":"$WS/docs/rules.md","limit":2000}`, `{"file_path":"docs/img/a.png","image_quality":"high"}`,
		`{"files":[{"path":"main.go"},{"path":"go.mod","start_line":1,"end_line":null}]}`, `{"path":"go.sum"}`,
		`{"path":".github/workflows/ci.yml"}`, `{"path":"/usr/share/dict/words"}`, `{"path":"../other/README.md"}`,
		`{"file_path":"$WS/paper.pdf","pages":"1-5"}`, `{"path":"main.go","view_range":[1,20]}`, `{"path":"Makefile"}`,
		`{"path":"internal/a.go","line_offset":-50,"n_lines":20}`, `{"file_path":"main.go","mode":"slice"}`,
		`{"paths":["main.go","go.mod"]}`, `{"path":"src"}`, `{"path":"docs/"}`, `{"notebook_path":"notebooks/a.ipynb"}`,
		`{"path":"src/keys.ts"}`, `{"path":"docs/secrets.md"}`, `{"path":"src/lock.go"}`, `{"path":"~/notes.md"}`,
		`{"path":"file://$WS/main.go"}`, `{"path":"main.go:12"}`,
		`{"target_file":"main.go","should_read_entire_file":true}`,
		`{"file_path":"main.go","explanation":"is secrets/key read here?"}`)
	try("fs_read", append([]string{"**/*.lock", ".env", "*.pem"}, anywhere...),
		`{"include":["src/**/*.ts"],"exclude":["secrets/**"]}`, `{"include":["docs/*.md","src/*.go"]}`)
	try("fs_write", files,
		`{"file_path":"$WS/new.go","content":"package main\n// see secrets/key and yarn.lock\n"}`,
		`{"path":"docs/new.md","content":"secrets/key"}`, `{"file_path":"a.json","content":"{\"path\":\"yarn.lock\"}"}`,
		`{"path":"src/new/deep/file.ts","file_text":"export {}"}`, `{"path":"a.txt","content":"","mode":"append"}`,
		`{"filePath":"$WS/scripts/run.sh","content":"#!/bin/sh\ncat /etc/passwd\n"}`,
		`{"path":"package.json","content":"x"}`,
		`{"file_path":"a.md","content":"*** notes\nx"}`, `{"path":".gitignore","content":".env\nsecrets/\n*.pem\n"}`,
		`{"file_path":"testdata/x.json","content":"[\"secrets/key\"]","record_as_artifact":false}`,
		`{"path":"Dockerfile","content":"COPY yarn.lock ."}`, `{"path":"src/a b.ts","content":"x"}`)
	try("fs_edit", files,
		`{"file_path":"$WS/main.go","old_string":"secrets/key","new_string":"yarn.lock","replace_all":false}`,
		`{"path":"main.go","old_str":"a","new_str":".env"}`,
		`{"filePath":"src/index.ts","oldString":"a","newString":"*.pem"}`,
		`{"path":"src/index.ts","old_text":"~/.ssh/id","new_text":"b","insert_line":null}`,
		`{"file_path":"main.go","instruction":"rename yarn.lock","old_string":"a","new_string":"b"}`,
		`{"file_path":"main.go","edits":[{"old_string":".env","new_string":"x"},{"old_string":"y.pem"}]}`,
		`{"notebook_path":"notebooks/a.ipynb","cell_id":"c1","new_source":"open('secrets/key')","cell_type":"code"}`,
		`{"path":"main.go","command":"str_replace","old_str":"a","new_str":"b"}`,
		`{"path":"main.go","command":"insert","insert_line":3,"new_str":"// secrets/key"}`,
		`{"file_path":"go.mod","old_str":"v1","new_str":"v2","change_all":false}`,
		`{"input":"*** Begin Patch\n*** Update File: main.go\n@@\n-a\n+secrets/key\n*** End Patch"}`,
		`{"patchText":"*** Begin Patch\n*** Add File: src/b.ts\n+x\n*** End Patch"}`,
		`{"target_file":"main.go","instructions":"use .env","code_edit":"// ... existing code ...\nx\n"}`)
	try("fs_grep", anywhere,
		`{"pattern":"secrets/","path":"src"}`,
		`{"pattern":"~/.ssh","path":"internal","output_mode":"content","-n":true}`,
		`{"pattern":"TODO","path":"$WS/docs","glob":"*.md"}`, `{"pattern":"func .*\\(","path":"internal","type":"go"}`,
		`{"pattern":"/etc/passwd","paths":["src","docs"]}`,
		`{"pattern":"x","paths":"src","head_limit":20,"multiline":true}`,
		`{"pattern":"x","dir_path":"src","include_pattern":"*.ts","exclude_pattern":"secrets/**"}`,
		`{"pattern":"x","path":"main.go"}`, `{"pattern":"infra/prod","path":"infra/dev"}`,
		`{"pattern":"x","path":"/usr/include"}`,
		`{"pattern":"x","glob":"src/**/*.ts"}`, `{"pattern":"x","include":"internal/**"}`,
		`{"pattern":"x","path":"cmd/app"}`,
		`{"pattern":"x","path":"src","glob_pattern":"**/*.{ts,tsx}","case_insensitive":true,"context":3}`,
		`{"pattern":"x","path":"testdata","-A":2,"-B":2,"-i":true}`, `{"pattern":"^db/","path":"docs/rules.md"}`,
		`{"pattern":"x","path":"../other"}`, `{"pattern":"x","path":"scripts","include_ignored":false,"offset":0}`,
		`{"pattern":"x","directory":"src"}`, `{"regex":"secrets/.*","path":"src"}`,
		`{"query":"where is secrets/key","path":"src"}`)
	try("fs_grep", files,
		`{"pattern":"yarn.lock","path":"main.go"}`, `{"pattern":".env","path":"src/index.ts","output_mode":"count"}`,
		`{"pattern":"x","path":"$WS/README.md"}`, `{"pattern":"x","paths":["main.go","go.mod"]}`)
	try("fs_grep", []string{"**/*.lock", "*.pem", ".env", "*.key", "**/*.tf"},
		`{"pattern":"x","glob":"*.go"}`, `{"pattern":"x","path":".","glob":"*.{ts,tsx}"}`,
		`{"pattern":"x","include":"*.md"}`,
		`{"pattern":"x","glob":["*.go","*.mod"]}`, `{"pattern":"x","path":"src","glob":"**/*.test.ts"}`,
		`{"pattern":"x","glob":"*_test.go"}`, `{"pattern":"x","include_pattern":"src/**/*.ts"}`,
		`{"pattern":"x","glob":"Makefile"}`)
	try("fs_glob", anywhere,
		`{"pattern":"src/**/*.ts"}`, `{"pattern":"*.ts","path":"src"}`, `{"pattern":"**/*.go","path":"internal"}`,
		`{"pattern":"$WS/src/**"}`, `{"patterns":["src/**","docs/**"],"excludePatterns":["secrets/**"]}`,
		`{"pattern":"**/*","folder":"docs"}`, `{"pattern":"cmd/*/main.go"}`, `{"pattern":"internal/**/*_test.go"}`,
		`{"pattern":"{src,docs}/**/*.{ts,md}"}`, `{"pattern":"docs/*.md","case_sensitive":false}`,
		`{"pattern":"infra/dev/*"}`,
		`{"pattern":".github/**/*.yml"}`, `{"pattern":"src/app/\\[id\\]/*.tsx"}`,
		`{"pattern":"*.png","dir_path":"docs/img"}`,
		`{"pattern":"**/*.json","path":"$WS/testdata","head_limit":10}`, `{"pattern":"*","path":"scripts"}`)
	try("fs_glob", []string{"**/*.lock", "*.pem", ".env"},
		`{"pattern":"**/*.go"}`, `{"pattern":"*.{ts,tsx}"}`, `{"pattern":"**/go.mod"}`,
		`{"pattern":"src/**/*.test.ts"}`)
	try("fs_list", anywhere,
		`{"path":"src"}`, `{"path":"$WS/docs"}`, `{"directory_path":"internal","ignorePatterns":["secrets/**"]}`,
		`{"dir_path":"src/app","ignore":["*.pem"]}`, `{"path":"infra/dev"}`, `{"path":"./cmd/"}`, `{"path":"/usr/lib"}`,
		`{"dir_path":"docs","file_filtering_options":{"respect_git_ignore":true}}`, `{"path":"src/app/[id]"}`,
		`{"relative_workspace_path":"src"}`, `{"target_directory":"docs"}`, `{"path":"../other","depth":2,"offset":1}`)
	try("fs_delete", anywhere, `{"path":"src/index.ts"}`, `{"path":"docs"}`, `{"paths":["main.go","docs/img"]}`)
	try("fs_move", anywhere, `{"source":"src/index.ts","destination":"src/main.ts"}`, `{"from":"docs","to":"doc"}`)
	require.GreaterOrEqual(t, calls, 100)
	t.Log(calls, "calls")
}

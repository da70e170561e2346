package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// own are the files that the sums do not cover: the sums, files made of the sums, and the text of the release's page.
var own = map[string]bool{"SHA256SUMS": true, "hookrun.rb": true, "hookrun.json": true, "NOTES.md": true}

// sums writes SHA256SUMS for the files in a folder, the formula of Homebrew and the manifest of Scoop.
func (r *release) sums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	of := map[string]string{} // the sum of each file
	for _, file := range files {
		if !file.Type().IsRegular() || own[file.Name()] {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return err
		}
		of[file.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
		fmt.Fprintf(&list, "%s  %s\n", of[file.Name()], file.Name())
	}
	if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"), list.Bytes(), 0o644); err != nil {
		return err
	}
	for _, system := range []string{"darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "linux_amd64.tar.gz",
		"linux_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"} {
		if of["hookrun_"+r.version+"_"+system] == "" {
			fmt.Printf("no hookrun.rb and no hookrun.json without the archive %s\n", system)
			return nil
		}
	}
	return r.writeManifests(dir, of)
}

// formula is for a tap of Homebrew.
var formula = template.Must(template.New("").Parse(`class Hookrun < Formula
  desc "Runs the hooks of a project before and after each tool call of an agent"
  homepage "{{.Home}}"
  version "{{.Version}}"
  license "MIT"
{{range $os, $name := .Brew}}
  on_{{$os}} do
    on_arm do
      url "{{$.URL}}/hookrun_{{$.Version}}_{{$name}}_arm64.tar.gz"
      sha256 "{{$.Sum (print $name "_arm64.tar.gz")}}"
    end
    on_intel do
      url "{{$.URL}}/hookrun_{{$.Version}}_{{$name}}_amd64.tar.gz"
      sha256 "{{$.Sum (print $name "_amd64.tar.gz")}}"
    end
  end
{{end}}
  def install
    bin.install "hookrun"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/hookrun.bash" => "hookrun"
    zsh_completion.install "completions/_hookrun"
    fish_completion.install "completions/hookrun.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/hookrun version")
  end
end
`))

// A manifest is what formula and scoop are made of.
type manifest struct {
	Home, URL, Version string
	Brew               map[string]string // names of systems in a formula and in files
	sums               map[string]string
}

// Sum returns the sum of the archive whose name has this end.
func (m manifest) Sum(end string) (string, error) {
	name := "hookrun_" + m.Version + "_" + end
	if m.sums[name] == "" {
		return "", fmt.Errorf("%s is not among the files with sums", name)
	}
	return m.sums[name], nil
}

// scoop returns the manifest for a bucket of Scoop.
func (m manifest) scoop() ([]byte, error) {
	type download struct {
		URL  string `json:"url"`
		Hash string `json:"hash"`
	}
	systems := map[string]download{}
	for theirs, ours := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		sum, err := m.Sum("windows_" + ours + ".zip")
		if err != nil {
			return nil, err
		}
		systems[theirs] = download{m.URL + "/hookrun_" + m.Version + "_windows_" + ours + ".zip", sum}
	}
	return json.MarshalIndent(map[string]any{
		"version": m.Version, "description": "Runs the hooks of a project before and after each tool call of an agent",
		"homepage": m.Home, "license": "MIT", "architecture": systems, "bin": "hookrun.exe",
	}, "", "    ")
}

// writeManifests writes hookrun.rb and hookrun.json.
func (r *release) writeManifests(dir string, sums map[string]string) error {
	m := manifest{home, home + "/releases/download/v" + r.version, r.version,
		map[string]string{"linux": "linux", "macos": "darwin"}, sums}
	var ruby strings.Builder
	if err := formula.Execute(&ruby, m); err != nil {
		return err
	}
	text, err := m.scoop()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "hookrun.rb"), []byte(ruby.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "hookrun.json"), append(text, '\n'), 0o644)
}

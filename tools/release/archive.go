package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookrun/hookrun/internal/doors/cli"
	"github.com/hookrun/hookrun/tools/man/manpage"
)

// A member is a file of an archive.
type member struct {
	name string
	mode os.FileMode
	text []byte
}

// archives writes an archive for each system, and the files that describe all of them.
func (r *release) archives(binaries, dir string) error {
	shared, err := sharedMembers()
	if err != nil {
		return err
	}
	systems, err := os.ReadDir(binaries)
	if err != nil {
		return err
	}
	var built []string // the binaries
	for _, system := range systems {
		program, pack, end := "hookrun", r.tar, ".tar.gz"
		if strings.HasPrefix(system.Name(), "windows_") {
			program, pack, end = "hookrun.exe", r.zip, ".zip"
		}
		path := filepath.Join(binaries, system.Name(), program)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		built = append(built, path)
		var archive bytes.Buffer
		if err := pack(&archive, append([]member{{program, 0o755, text}}, shared...)); err != nil {
			return err
		}
		name := fmt.Sprintf("hookrun_%s_%s%s", r.version, system.Name(), end)
		if err := os.WriteFile(filepath.Join(dir, name), archive.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(r.writeSBOM(built, dir), r.writeNotes(dir), r.writeCases(dir))
}

// sharedMembers returns the files that are the same in each archive, by name.
func sharedMembers() ([]member, error) {
	var members []member
	add := func(name string, text []byte) { members = append(members, member{name, 0o644, text}) }
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		add(name, text)
	}
	for shell, name := range map[string]string{"bash": "hookrun.bash", "zsh": "_hookrun", "fish": "hookrun.fish",
		"powershell": "hookrun.ps1"} {
		var script, fault bytes.Buffer
		if cli.Run([]string{"completion", shell}, cli.Streams{Out: &script, Err: &fault}) != 0 {
			return nil, errors.New(fault.String())
		}
		add("completions/"+name, script.Bytes())
	}
	pages, err := manpage.All()
	if err != nil {
		return nil, err
	}
	for name, page := range pages {
		add("man/"+name, []byte(page))
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return members, nil
}

func (r *release) tar(to *bytes.Buffer, members []member) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	for _, m := range members {
		err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: m.name, Mode: int64(m.mode),
			Size: int64(len(m.text)), ModTime: r.time, Format: tar.FormatUSTAR})
		if err != nil {
			return err
		}
		if _, err := archive.Write(m.text); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}

func (r *release) zip(to *bytes.Buffer, members []member) error {
	archive := zip.NewWriter(to)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: r.time}
		header.SetMode(m.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(m.text); err != nil {
			return err
		}
	}
	return archive.Close()
}

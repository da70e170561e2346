package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bom is a CycloneDX document, https://cyclonedx.org/docs/1.6/json/.
type bom struct {
	Schema       string       `json:"$schema"`
	BOMFormat    string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Licenses   []license  `json:"licenses,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type license struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

// writeSBOM lists the modules that any of the binaries is linked with, and the standard library.
func (r *release) writeSBOM(binaries []string, dir string) error {
	linked := map[string]component{}
	for _, path := range binaries {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		std := strings.TrimPrefix(info.GoVersion, "go")
		linked["std"] = goModule("std", std, "")
		for _, m := range info.Deps {
			if m.Replace != nil {
				return fmt.Errorf("%s has another module in the place of %s; release without replace", path, m.Path)
			}
			linked[m.Path] = goModule(m.Path, m.Version, m.Sum)
		}
	}
	own := goModule("github.com/hookrun/hookrun", "v"+r.version, "")
	own.Type, own.Licenses = "application", make([]license, 1)
	own.Licenses[0].License.ID = "MIT"
	own.Properties = []property{{"commit", r.commit}}
	document := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", BOMFormat: "CycloneDX", SpecVersion: "1.6",
		Version: 1, SerialNumber: serial(r.version + " " + r.commit),
		Metadata:     metadata{r.time.Format(time.RFC3339), own},
		Dependencies: []dependency{{Ref: own.Ref}},
	}
	for _, name := range slices.Sorted(maps.Keys(linked)) {
		c := linked[name]
		document.Components = append(document.Components, c)
		document.Dependencies[0].DependsOn = append(document.Dependencies[0].DependsOn, c.Ref)
		document.Dependencies = append(document.Dependencies, dependency{Ref: c.Ref})
	}
	text, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "hookrun_"+r.version+".cdx.json"), append(text, '\n'), 0o644)
}

func goModule(path, version, sum string) component {
	purl := "pkg:golang/" + strings.ToLower(path) + "@" + version
	c := component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go.sum", sum}}
	}
	return c
}

// serial returns a UUID made of a name, so that the same release has the same UUID.
func serial(name string) string {
	b := sha256.Sum256([]byte(name))
	b[6], b[8] = b[6]&0x0f|0x80, b[8]&0x3f|0x80 // version 8, of the maker's own rules
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

.PHONY: build test test-all bench fuzz lint man install-man release
PREFIX = /usr/local
build:    ; CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' .
test:     ; go test ./...
test-all: ; HOOKRUN_TEST_ALL=1 go test -timeout 30m ./...
bench:    ; tools/bench.sh
fuzz:     ; tools/fuzz.sh
lint:     ; test -z "$$(gofmt -l .)" && go vet ./... && go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
man:      ; go run ./tools/man dist/man
install-man: man
	install -d '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 644 dist/man/*.1 '$(DESTDIR)$(PREFIX)/share/man/man1'
release:  ; tools/release.sh

module github.com/patchls/patchls

go 1.26

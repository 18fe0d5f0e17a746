package memref

import (
	"context"
	"os"
)

// Init creates a private repository in a folder, and the folder.
func Init(ctx context.Context, dir string) (Repo, error) {
	r := Repo{Dir: dir, Private: true}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return r, err
	}
	_, err := r.reach(ctx, dir, "init", "--quiet", "--bare", "--template=", dir)
	return r, err
}

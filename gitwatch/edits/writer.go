package edits

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Writer fills the archive of one run. It is not for concurrent use.
type Writer struct {
	dir     string
	temp    *os.File
	archive *zip.Writer
}

// Create begins the archive of the run whose folder is dir. Nothing is to
// be seen of it before Finish, which has to be called.
func Create(dir string) (*Writer, error) {
	temp, err := os.CreateTemp(dir, "."+fileName+".*.tmp") // mode 0600
	if err != nil {
		return nil, err
	}
	return &Writer{dir, temp, zip.NewWriter(temp)}, nil
}

// Keep puts contents into the archive under their id.
func (w *Writer) Keep(id string, content []byte) error {
	out, err := w.archive.CreateHeader(&zip.FileHeader{Name: id, Method: zip.Store})
	if err == nil {
		_, err = out.Write(content)
	}
	return err
}

// Finish lists what the run changed, as the Load functions return it, and puts
// the archive in its place, unless ctx has ended. On an error nothing is left.
func (w *Writer) Finish(ctx context.Context, uncommitted, committed []Change, moved int) error {
	doc := document{Version: version, Moved: moved}
	for _, e := range uncommitted {
		doc.Edits = append(doc.Edits, lineOf(e))
	}
	for _, e := range committed {
		doc.Committed = append(doc.Committed, lineOf(e))
	}
	err := errors.Join(ctx.Err(), w.list(doc), w.archive.Close(), w.temp.Close())
	if err == nil {
		err = os.Rename(w.temp.Name(), filepath.Join(w.dir, fileName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(w.temp.Name()))
	}
	return nil
}

func (w *Writer) list(doc document) error {
	data, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("list what the run changed: %w", err)
	}
	return w.Keep(listName, data)
}

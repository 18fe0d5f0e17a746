package eval

import "fmt"

// Figure is one number of a measurement, under the name it has in JSON.
type Figure struct {
	Name  string
	Value float64
}

// Named lists the figures of a measurement with k entries looked at.
func (f CochangeFigures) Named(k int) []Figure {
	return []Figure{
		{"hit_at_10_paths", f.HitAtPaths},
		{"path_recall_at_10", f.PathRecall},
		{fmt.Sprintf("hit_at_%d", k), f.HitAtK},
		{fmt.Sprintf("file_recall_at_%d", k), f.FileRecall},
		{"mrr", f.MRR},
		{"paths_named", f.PathsNamed},
	}
}

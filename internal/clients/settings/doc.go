// Package settings reads the hooks files of clients, for the FileReader of a client's folder.
//
//	func (reader) Normalize(d *dialect.Document) {
//		doc := settings.Open(d)
//		top := doc.Top(fields, aboutHooks)
//		for event := range doc.Events(top["hooks"]) {
//			for group := range event.Groups(groupFields, "") {
//				for h := range group.Handlers(types, common) {
//					h.ReadCommand()
//				}
//			}
//		}
//	}
//
// Guarantees: every fault has a position; a field or an event that the client does not know is a warning or, if the
// client drops more than this part of the file, an error. Not guaranteed: that the client of another version reads the
// file alike.
package settings

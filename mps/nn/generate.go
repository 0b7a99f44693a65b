package nn

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg nn -out .

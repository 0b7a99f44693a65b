package filter

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg filter -out .

package mps

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg mps -out . -soft ../internal/softmps/mpsdata

package ray

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg ray -out .

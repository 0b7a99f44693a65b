package mtl

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg mtl -out . -soft ../internal/softmetal/metal

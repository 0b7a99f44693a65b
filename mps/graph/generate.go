package graph

//go:generate go run github.com/puremetal/puremetal/cmd/bindgen -pkg graph -out . -soft ../../internal/softmps/graphdata

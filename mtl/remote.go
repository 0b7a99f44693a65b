package mtl

import "github.com/puremetal/puremetal/objc"

// A remote view gives access to a buffer or texture of another device of the peer group. It may
// only be the source of a blit, so every other call that takes a resource rejects it.

// notRemote rejects a remote view.
func (c check) notRemote(what string, remote bool) error {
	if remote {
		return c.fail(ErrDevice, "%s is a remote view, which can only be the source of a blit", what)
	}
	return nil
}

// isRemoteView reports whether the buffer is a remote view. Only private buffers can be.
func (o Buffer) isRemoteView() bool {
	return o.StorageMode() == StorageModePrivate && !o.RemoteStorageBuffer().IsNil()
}

// isRemoteView reports whether the texture is a remote view, or a view of one. Only private
// textures can be.
func (o Texture) isRemoteView() bool {
	if o.StorageMode() != StorageModePrivate {
		return false
	}
	for ; !o.IsNil(); o = o.ParentTexture() {
		if !o.RemoteStorageTexture().IsNil() {
			return true
		}
	}
	return false
}

var remoteFacts factCache[bool]

// remoteFact reports whether a resource of any kind, which must not be nil, is a remote view.
func remoteFact(r Resource) bool {
	return *remoteFacts.get(r.ID(), func(id objc.ID) bool {
		switch {
		case zmethods[mBufferRemoteStorageBuffer].Check(id) == nil:
			return BufferFrom(id).isRemoteView()
		case zmethods[mTextureRemoteStorageTexture].Check(id) == nil:
			return TextureFrom(id).isRemoteView()
		}
		return false
	})
}

// ownResources checks that no resource is nil or a remote view.
func (c check) ownResources(resources []Resource) error {
	if err := objects(c, "resource", resources); err != nil {
		return err
	}
	for _, r := range resources {
		if err := c.notRemote("resource", remoteFact(r)); err != nil {
			return err
		}
	}
	return nil
}

// ownTextures checks that no texture is a remote view. Textures may be nil.
func (c check) ownTextures(textures ...Texture) error {
	for _, t := range textures {
		if !t.IsNil() && remoteFact(t.Resource) {
			return c.notRemote("texture", true)
		}
	}
	return nil
}

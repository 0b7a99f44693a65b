package lower

func (c *libCall) texture() (val, bool) { return val{}, false }

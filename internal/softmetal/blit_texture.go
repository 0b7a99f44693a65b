package softmetal

func blitTextures() map[string]blitCall { return map[string]blitCall{} }

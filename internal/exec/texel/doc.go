// Package texel implements the texture operations for all engines: the memory layout of texels in
// each format, and sampling. Package ir defines their semantics, under "Textures".
package texel

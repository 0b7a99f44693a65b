// Package texel says what operations on textures do, for all engines: how texels of each format lie
// in memory, and how a sampler looks at an image. What that means is written in package ir under
// "Textures".
package texel

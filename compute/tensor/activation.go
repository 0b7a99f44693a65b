package tensor

// Activations, for floating-point numbers. NaN stays NaN.

// Sigmoid computes 1 / (1 + e^-x).
func (s *Scope) Sigmoid(x *Tensor) *Tensor { return s.unary("sigmoid", x) }

// ReLU computes max(x, 0), for numbers.
func (s *Scope) ReLU(x *Tensor) *Tensor { return s.unary("relu", x) }

// Softplus computes log(1 + e^x).
func (s *Scope) Softplus(x *Tensor) *Tensor { return s.unary("softplus", x) }

// Softsign computes x / (1 + |x|).
func (s *Scope) Softsign(x *Tensor) *Tensor { return s.unary("softsign", x) }

// SiLU computes x / (1 + e^-x), also called swish.
func (s *Scope) SiLU(x *Tensor) *Tensor { return s.unary("silu", x) }

// Mish computes x tanh(log(1 + e^x)).
func (s *Scope) Mish(x *Tensor) *Tensor { return s.unary("mish", x) }

// GELU computes x (1 + erf(x / sqrt(2))) / 2.
func (s *Scope) GELU(x *Tensor) *Tensor { return s.unary("gelu", x) }

// GELUTanh computes Hendrycks and Gimpel's approximation of GELU by tanh.
func (s *Scope) GELUTanh(x *Tensor) *Tensor { return s.unary("gelu_tanh", x) }

// LeakyReLU computes x if it is at least 0, else slope x.
func (s *Scope) LeakyReLU(x *Tensor, slope float32) *Tensor {
	return s.elementwise("leaky_relu", []*Tensor{x}, slope)
}

// ELU computes x if it is at least 0, else alpha (e^x - 1).
func (s *Scope) ELU(x *Tensor, alpha float32) *Tensor {
	return s.elementwise("elu", []*Tensor{x}, alpha)
}

// CELU computes x if it is at least 0, else alpha (e^(x/alpha) - 1).
func (s *Scope) CELU(x *Tensor, alpha float32) *Tensor {
	return s.elementwise("celu", []*Tensor{x}, alpha)
}

// SELU computes scale x if x is at least 0, else scale alpha (e^x - 1), with the constants of
// Klambauer and others, "Self-Normalizing Neural Networks".
func (s *Scope) SELU(x *Tensor) *Tensor {
	return s.elementwise("selu", []*Tensor{x}, 1.6732632423543772, 1.0507009873554805)
}

// HardSigmoid computes min(max(slope x + offset, 0), 1).
func (s *Scope) HardSigmoid(x *Tensor, slope, offset float32) *Tensor {
	return s.elementwise("hardsigmoid", []*Tensor{x}, slope, offset)
}

// Linear computes scale x + offset.
func (s *Scope) Linear(x *Tensor, scale, offset float32) *Tensor {
	return s.elementwise("linear", []*Tensor{x}, scale, offset)
}

package model_test

import (
	"math"
	"sort"
)

// reference computes models in float64, written down from the papers and llama.cpp's graphs. It
// knows nothing of the code that it judges.
type reference struct {
	architecture                           string
	context                                int
	embedding, layers, heads, groups, size int
	feedForward, window, experts, used     int
	epsilon, base                          float64
	attnSoftcap, finalSoftcap              float64
	weights                                map[string][]float64        // row-major
	cached                                 func(x []float64) []float64 // what a cache makes of keys or values; nil: x
}

// product multiplies a vector with the rows of a weight, and adds its bias.
func (r *reference) product(name string, x []float64) []float64 {
	w := r.weights[name+".weight"]
	y := make([]float64, len(w)/len(x))
	for i := range y {
		for j, v := range x {
			y[i] += w[i*len(x)+j] * v
		}
	}
	for i, b := range r.weights[name+".bias"] {
		y[i] += b
	}
	return y
}

func (r *reference) has(name string) bool { return r.weights[name+".weight"] != nil }

// norm normalizes a vector, in pieces as long as the weight.
func (r *reference) norm(name string, x []float64) []float64 {
	w := r.weights[name+".weight"]
	if w == nil {
		return x
	}
	var y []float64
	for at := 0; at < len(x); at += len(w) {
		part := x[at : at+len(w)]
		mean, sum := 0.0, 0.0
		if r.architecture == "gpt2" || r.architecture == "bert" {
			for _, v := range part {
				mean += v / float64(len(part))
			}
		}
		for _, v := range part {
			sum += (v - mean) * (v - mean)
		}
		by := 1 / math.Sqrt(sum/float64(len(part))+r.epsilon)
		for i, v := range part {
			v = (v - mean) * by * w[i]
			if b := r.weights[name+".bias"]; b != nil {
				v += b[i]
			}
			y = append(y, v)
		}
	}
	return y
}

// rope turns the heads of a vector.
func (r *reference) rope(x []float64, position int, local bool) []float64 {
	if r.architecture == "gpt2" || r.architecture == "bert" {
		return x
	}
	base := r.base
	if r.architecture == "gemma3" && local {
		base = 10000
	}
	y := append([]float64(nil), x...)
	for h := 0; h < len(x); h += r.size {
		for i := range r.size / 2 {
			angle := float64(position) * math.Pow(base, -2*float64(i)/float64(r.size))
			if f := r.weights["rope_freqs.weight"]; f != nil {
				angle /= f[i]
			}
			a, b := h+2*i, h+2*i+1
			if r.architecture != "llama" {
				a, b = h+i, h+i+r.size/2
			}
			y[a] = x[a]*math.Cos(angle) - x[b]*math.Sin(angle)
			y[b] = x[a]*math.Sin(angle) + x[b]*math.Cos(angle)
		}
	}
	return y
}

func (r *reference) activation(x float64) float64 {
	switch r.architecture {
	case "gpt2", "gemma", "gemma2", "gemma3":
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	case "bert":
		return 0.5 * x * (1 + math.Erf(x/math.Sqrt2))
	case "bitnet-b1.58":
		return max(0, x) * max(0, x)
	}
	return x / (1 + math.Exp(-x))
}

// local reports whether a layer sees only the window.
func (r *reference) local(layer int) bool {
	switch {
	case r.window == 0:
		return false
	case r.architecture == "gemma2":
		return layer%2 == 0
	case r.architecture == "gemma3":
		return layer%6 != 5
	}
	return true
}

// run returns the logits of each token, or for bert the last rows.
func (r *reference) run(ids []int32) (rows [][]float64) {
	n := r.embedding
	xs := make([][]float64, len(ids))
	for t, id := range ids {
		xs[t] = append([]float64(nil), r.weights["token_embd.weight"][int(id)*n:int(id+1)*n]...)
		for i := range xs[t] {
			switch r.architecture {
			case "gemma", "gemma2", "gemma3":
				xs[t][i] *= math.Sqrt(float64(n))
			case "gpt2", "bert":
				xs[t][i] += r.weights["position_embd.weight"][t*n+i]
			}
			if r.architecture == "bert" {
				xs[t][i] += r.weights["token_types.weight"][i]
			}
		}
		if r.architecture == "bert" {
			xs[t] = r.norm("token_embd_norm", xs[t])
		}
	}
	for layer := range r.layers {
		r.layer(xs, layer)
	}
	for t := range xs {
		if r.architecture == "bert" {
			continue
		}
		x := r.norm("output_norm", xs[t])
		out := "output"
		if !r.has(out) {
			out = "token_embd"
		}
		xs[t] = r.product(out, x)
		for i, v := range xs[t] {
			if r.finalSoftcap > 0 {
				xs[t][i] = r.finalSoftcap * math.Tanh(v/r.finalSoftcap)
			}
		}
	}
	return xs
}

func (r *reference) layer(xs [][]float64, layer int) {
	p := "blk." + string(rune('0'+layer)) + "."
	var qs, ks, vs [][]float64
	for t, x := range xs {
		h := x
		if r.architecture != "bert" {
			h = r.norm(p+"attn_norm", x)
		}
		var q, k, v []float64
		if r.has(p + "attn_qkv") {
			all := r.product(p+"attn_qkv", h)
			a, b := r.heads*r.size, r.groups*r.size
			q, k, v = all[:a], all[a:a+b], all[a+b:]
		} else {
			q, k, v = r.product(p+"attn_q", h), r.product(p+"attn_k", h), r.product(p+"attn_v", h)
		}
		q, k = r.norm(p+"attn_q_norm", q), r.norm(p+"attn_k_norm", k)
		k = r.rope(k, t, r.local(layer))
		if r.cached != nil {
			k, v = r.cached(k), r.cached(v)
		}
		qs = append(qs, r.rope(q, t, r.local(layer)))
		ks = append(ks, k)
		vs = append(vs, v)
	}
	for t, x := range xs {
		y := r.product(p+"attn_output", r.norm(p+"attn_sub_norm", r.attention(qs, ks, vs, t, layer)))
		if r.architecture == "bert" {
			y = r.norm(p+"attn_output_norm", sum(x, y))
			xs[t] = r.norm(p+"layer_output_norm", sum(y, r.hiddenLayer(p, y)))
			continue
		}
		x = sum(x, r.norm(p+"post_attention_norm", y))
		xs[t] = sum(x, r.norm(p+"post_ffw_norm", r.hiddenLayer(p, r.norm(p+"ffn_norm", x))))
	}
}

func sum(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + y[i]
	}
	return z
}

func (r *reference) attention(qs, ks, vs [][]float64, t, layer int) (out []float64) {
	for h := range r.heads {
		g := h / (r.heads / r.groups)
		var scores []float64
		var seen []int
		for j := range ks {
			if r.architecture != "bert" && j > t || r.local(layer) && t-j >= r.window {
				continue
			}
			score := 0.0
			for i := range r.size {
				score += qs[t][h*r.size+i] * ks[j][g*r.size+i]
			}
			score /= math.Sqrt(float64(r.size))
			if r.attnSoftcap > 0 {
				score = r.attnSoftcap * math.Tanh(score/r.attnSoftcap)
			}
			scores, seen = append(scores, score), append(seen, j)
		}
		y := make([]float64, r.size)
		for n, p := range softmax(scores) {
			for i := range y {
				y[i] += p * vs[seen[n]][g*r.size+i]
			}
		}
		out = append(out, y...)
	}
	return out
}

func softmax(x []float64) []float64 {
	y, total := make([]float64, len(x)), 0.0
	for i, v := range x {
		y[i] = math.Exp(v)
		total += y[i]
	}
	for i := range y {
		y[i] /= total
	}
	return y
}

func (r *reference) hiddenLayer(p string, x []float64) []float64 {
	if r.experts > 0 {
		return r.mixture(p, x)
	}
	up := r.product(p+"ffn_up", x)
	switch {
	case r.has(p + "ffn_gate"):
		for i, g := range r.product(p+"ffn_gate", x) {
			up[i] *= r.activation(g)
		}
	case len(up) == 2*r.feedForward: // gate and up
		gate, rest := up[:r.feedForward], up[r.feedForward:]
		for i, g := range gate {
			rest[i] *= r.activation(g)
		}
		up = rest
	default:
		for i := range up {
			up[i] = r.activation(up[i])
		}
	}
	return r.product(p+"ffn_down", r.norm(p+"ffn_sub_norm", up))
}

func (r *reference) mixture(p string, x []float64) []float64 {
	scores := softmax(r.product(p+"ffn_gate_inp", x))
	order := make([]int, r.experts)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	total := 0.0
	for _, e := range order[:r.used] {
		total += scores[e]
	}
	if r.architecture == "qwen2moe" {
		total = 1
	}
	y := make([]float64, len(x))
	one := func(gate, up, down []float64, by float64) {
		f := len(gate) / len(x)
		h := make([]float64, f)
		for i := range h {
			a, b := 0.0, 0.0
			for j, v := range x {
				a += gate[i*len(x)+j] * v
				b += up[i*len(x)+j] * v
			}
			h[i] = r.activation(a) * b
		}
		for i := range y {
			for j, v := range h {
				y[i] += by * down[i*f+j] * v
			}
		}
	}
	for _, e := range order[:r.used] {
		part := func(name string) []float64 {
			w := r.weights[p+name+".weight"]
			return w[e*len(w)/r.experts : (e+1)*len(w)/r.experts]
		}
		one(part("ffn_gate_exps"), part("ffn_up_exps"), part("ffn_down_exps"), scores[e]/total)
	}
	if r.has(p + "ffn_gate_shexp") {
		gate := r.product(p+"ffn_gate_inp_shexp", x)[0]
		w := func(name string) []float64 { return r.weights[p+name+".weight"] }
		one(w("ffn_gate_shexp"), w("ffn_up_shexp"), w("ffn_down_shexp"), 1/(1+math.Exp(-gate)))
	}
	return y
}

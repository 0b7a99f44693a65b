package ir

// The banks of threadgroup memory that GPUs of NVIDIA and AMD have: consecutive words are in
// consecutive banks. Apple does not document its banks.
const (
	Banks    = 32
	BankWord = 4 // bytes
)

// BankPasses counts the passes that an access of a simdgroup to threadgroup memory takes: the
// largest number of different words in one bank.
type BankPasses struct {
	N  int64
	in [Banks]int64
}

// Add adds a word, given by its address divided by BankWord. Each word counts once.
func (p *BankPasses) Add(word uint64) {
	n := &p.in[word%Banks]
	*n++
	p.N = max(p.N, *n)
}

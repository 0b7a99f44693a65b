package typeenc

// Message is a message that the instances of a class understand.
type Message struct {
	Class, Selector, Encoding string
}

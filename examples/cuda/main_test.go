package main

func Example() {
	main()
	// Output: 100 x 70 values, 0 differ from the CPU's
}

package main

func Example() {
	main()
	// Output: [0.5488281 0.51953125]
}

package main

import (
	"fmt"
	"strings"
)

// openclAtomics returns the atomic functions: those of 1.x, which take pointers to integers and are
// relaxed, and those of 2.0.
func openclAtomics() string {
	var b strings.Builder
	b.WriteString("// Atomics.\n\ntypedef atomic_int atomic_flag;\n\n")
	for _, space := range words("device threadgroup") {
		for _, t := range words("int uint") {
			atomics1(&b, space, t)
			atomics2(&b, space, t)
		}
		fmt.Fprintf(&b, `inline bool atomic_flag_test_and_set(volatile %[1]s atomic_flag *p) {
  return atomic_exchange(p, 1) != 0;
}

inline bool atomic_flag_test_and_set_explicit(volatile %[1]s atomic_flag *p, uint order) {
  return atomic_exchange_explicit(p, 1, order) != 0;
}

inline bool atomic_flag_test_and_set_explicit(volatile %[1]s atomic_flag *p, uint order, uint scope) {
  return atomic_exchange_explicit(p, 1, order) != 0;
}

inline void atomic_flag_clear(volatile %[1]s atomic_flag *p) { atomic_store(p, 0); }

inline void atomic_flag_clear_explicit(volatile %[1]s atomic_flag *p, uint order) {
  atomic_store_explicit(p, 0, order);
}

inline void atomic_flag_clear_explicit(volatile %[1]s atomic_flag *p, uint order, uint scope) {
  atomic_store_explicit(p, 0, order);
}

`, space)
		for _, prefix := range words("atomic atom") {
			fmt.Fprintf(&b, "template <class V> inline float %s_xchg(volatile %s float *p, V v) {\n"+
				"  return metal::atomic_exchange_explicit((volatile %s atomic_float *)p, float(v), "+
				"metal::memory_order_relaxed);\n"+
				"}\n\n",
				prefix, space, space)
		}
	}
	return b.String()
}

func atomics1(b *strings.Builder, space, t string) {
	object := fmt.Sprintf("(volatile %s atomic_%s *)p", space, t)
	for _, prefix := range words("atomic atom") {
		// The pointer alone chooses the function: a value has any type.
		one := func(name, metal, params, v string) {
			template := ""
			if params != "" {
				template = "template <class V> "
			}
			fmt.Fprintf(b, "%[9]sinline %[1]s %[2]s_%[3]s(volatile %[4]s %[1]s *p%[5]s) {\n"+
				"  return metal::atomic_%[6]s_explicit(%[7]s, %[1]s(%[8]s), metal::memory_order_relaxed);\n}\n\n",
				t, prefix, name, space, params, metal, object, v, template)
		}
		for _, name := range words("add sub min max and or xor") {
			one(name, "fetch_"+name, ", V v", "v")
		}
		one("xchg", "exchange", ", V v", "v")
		one("inc", "fetch_add", "", "1")
		one("dec", "fetch_sub", "", "1")
		fmt.Fprintf(b, "template <class E, class V>\n"+
			"inline %[1]s %[2]s_cmpxchg(volatile %[3]s %[1]s *p, E expected, V v) {\n"+
			"  %[1]s want = %[1]s(expected), old = want;\n"+
			"  while (!metal::atomic_compare_exchange_weak_explicit(%[4]s, &old, %[1]s(v),\n"+
			"                                                       metal::memory_order_relaxed, "+
			"metal::memory_order_relaxed) &&\n"+
			"         old == want)\n    ; // it failed for no reason\n  return old;\n}\n\n",
			t, prefix, space, object)
	}
}

// atomics2 writes the functions on atomic types. Metal's are relaxed: others stand between fences.
func atomics2(b *strings.Builder, space, t string) {
	fence := func(body string) string { return "  mem_fence(3);\n" + body + "  mem_fence(3);\n" }
	write := func(name, params, metal, args, result string) {
		call := fmt.Sprintf("%s_explicit(p%s, metal::memory_order_relaxed);\n", metal, args)
		head := fmt.Sprintf("(volatile %s atomic_%s *p%s", space, t, params)
		set, end := "  "+result+" old = ", "  return old;\n"
		if result == "void" {
			set, end = "  ", ""
		}
		fmt.Fprintf(b, "inline %s %s%s) {\n%s%s}\n\n", result, name, head, fence(set+call), end)
		for _, scope := range []string{"", ", uint scope"} {
			fmt.Fprintf(b, "inline %s %s_explicit%s, uint order%s) {\n  if (order != 0)\n    mem_fence(3);\n%s%s"+
				"  if (order != 0)\n    mem_fence(3);\n%s}\n\n", result, name, head, scope, set, call, end)
		}
	}
	for _, op := range words("add sub min max and or xor") {
		write("atomic_fetch_"+op, ", "+t+" v", "metal::atomic_fetch_"+op, ", v", t)
	}
	write("atomic_exchange", ", "+t+" v", "metal::atomic_exchange", ", v", t)
	write("atomic_load", "", "metal::atomic_load", "", t)
	write("atomic_store", ", "+t+" v", "metal::atomic_store", ", v", "void")
	fmt.Fprintf(b, "inline void atomic_init(volatile %[1]s atomic_%[2]s *p, %[2]s v) {\n"+
		"  metal::atomic_store_explicit(p, v, metal::memory_order_relaxed);\n}\n\n", space, t)
	for _, kind := range words("strong weak") {
		fmt.Fprintf(b, "inline bool atomic_compare_exchange_%[1]s(volatile %[2]s atomic_%[3]s *p, thread %[3]s "+
			"*expected, %[3]s v) {\n"+
			"  mem_fence(3);\n  %[3]s want = *expected;\n  bool done = false;\n  do {\n    *expected = want;\n"+
			"    done = metal::atomic_compare_exchange_weak_explicit(p, expected, v, metal::memory_order_relaxed, "+
			"metal::memory_order_relaxed);\n"+
			"  } while (!done && *expected == want);\n  mem_fence(3);\n  return done;\n}\n\n", kind, space, t)
		fmt.Fprintf(b, "inline bool atomic_compare_exchange_%[1]s_explicit(volatile %[2]s atomic_%[3]s *p, thread "+
			"%[3]s *expected, %[3]s v,\n"+
			"                                             uint success, uint failure) {\n"+
			"  return atomic_compare_exchange_%[1]s(p, expected, v);\n}\n\n", kind, space, t)
		fmt.Fprintf(b, "inline bool atomic_compare_exchange_%[1]s_explicit(volatile %[2]s atomic_%[3]s *p, thread "+
			"%[3]s *expected, %[3]s v,\n"+
			"                                             uint success, uint failure, uint scope) {\n"+
			"  return atomic_compare_exchange_%[1]s(p, expected, v);\n}\n\n", kind, space, t)
	}
}

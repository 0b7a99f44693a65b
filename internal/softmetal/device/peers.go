package device

import (
	"fmt"
	"strconv"
	"strings"
)

// peerGroup is a device's place among the devices that can read each other's memory. It is zero for
// a device without peers.
type peerGroup struct {
	id           uint64
	index, count uint32
}

// IsPeer reports whether another device is in the same peer group.
func (d *Device) IsPeer(o *Device) bool {
	return d != o && d.Driver == o.Driver && d.peers.id != 0 && d.peers.id == o.peers.id
}

// peerGroups returns the places of n devices. The variable's value has a number for each device,
// such as "0,0,1": devices with the same number are peers. Without it, all devices are.
func peerGroups(value string, n int) ([]peerGroup, error) {
	numbers := make([]uint16, n)
	if value != "" {
		list := strings.Split(value, ",")
		if len(list) != n {
			return nil, fmt.Errorf("softmetal: %s=%q: %d numbers for %d devices (%s); want one for each", peersVariable,
				value, len(list), n, devicesVariable)
		}
		for i, text := range list {
			number, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return nil, fmt.Errorf("softmetal: %s=%q: group %q of device %d: want a number from 0 to 65535",
					peersVariable, value, text, i)
			}
			numbers[i] = uint16(number)
		}
	}
	count := map[uint16]uint32{}
	groups := make([]peerGroup, n)
	for i, number := range numbers {
		groups[i].index = count[number]
		count[number]++
	}
	for i, number := range numbers {
		if count[number] == 1 {
			groups[i] = peerGroup{}
			continue
		}
		groups[i].id, groups[i].count = 0x5057_0001+uint64(number), count[number]
	}
	return groups, nil
}

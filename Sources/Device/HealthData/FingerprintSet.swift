/// The part of a fingerprint that is stored in sets.
public struct FingerprintKey: Sendable, Hashable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// Creates a key from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A set of fingerprints that takes 9 to 10 bytes per key: an export has millions of samples.
///
/// Five bits of the key select one of 32 parts. A part is an open-addressed table of 64 other bits, which also
/// determine the slot. When a part is full, it alone grows by a fifth, so that no more than one part is in memory
/// twice. More parts would be so small that they leave holes in the heap when they grow. Keys are the beginning of a
/// SHA-256: the probability that two of ten million samples agree in all 69 bits is 1 in 10^7.
public struct FingerprintSet: Sendable {
    private var parts: [Part]
    /// The number of keys.
    public private(set) var count = 0

    /// Creates an empty set.
    public init() { parts = Array(repeating: Part(), count: 32) }

    /// Returns whether a key is in the set.
    public func contains(_ key: FingerprintKey) -> Bool { parts[Self.part(of: key)].contains(Self.bits(of: key)) }

    /// Inserts a key. Returns false if the set already contains it.
    @discardableResult
    public mutating func insert(_ key: FingerprintKey) -> Bool {
        guard parts[Self.part(of: key)].insert(Self.bits(of: key)) else { return false }
        count += 1
        return true
    }

    /// Removes a key. Returns false if the set does not contain it.
    @discardableResult
    public mutating func remove(_ key: FingerprintKey) -> Bool {
        guard parts[Self.part(of: key)].remove(Self.bits(of: key)) else { return false }
        count -= 1
        return true
    }

    /// Reads the slots of fingerprints, so that they are in the processor's cache for the following look-ups.
    mutating func prefetch(_ fingerprints: [SampleFingerprint?]) {
        for case let fingerprint? in fingerprints {
            let key = fingerprint.key
            prefetchedSum &+= parts[Self.part(of: key)].glance(at: Self.bits(of: key))
        }
    }

    /// The sum of the slots that `prefetch` read. The value has no meaning; it keeps the compiler from removing the
    /// reads.
    private var prefetchedSum: UInt64 = 0

    private static func part(of key: FingerprintKey) -> Int { Int(truncatingIfNeeded: key.high >> 59) }

    /// Zero marks an empty slot, so the key zero is mapped to one.
    private static func bits(of key: FingerprintKey) -> UInt64 { key.low == 0 ? 1 : key.low }

    private struct Part {
        private var slots: [UInt64] = Array(repeating: 0, count: 8)
        private var filled = 0

        func contains(_ bits: UInt64) -> Bool { slots[slot(of: bits)] == bits }

        mutating func insert(_ bits: UInt64) -> Bool {
            let index = slot(of: bits)
            guard slots[index] != bits else { return false }
            slots[index] = bits
            filled += 1
            // When the table is nearly full, a search takes several steps, all within a few cache lines.
            if filled * 25 > slots.count * 23 { grow() }
            return true
        }

        mutating func remove(_ bits: UInt64) -> Bool {
            var hole = slot(of: bits)
            guard slots[hole] == bits else { return false }
            slots[hole] = 0
            filled -= 1
            // Entries after the hole move into it, unless their home slot is between the two: a search ends at a free
            // slot.
            var index = next(hole)
            while slots[index] != 0 {
                let home = Self.home(of: slots[index], among: slots.count)
                if distance(from: home, to: index) >= distance(from: hole, to: index) {
                    slots[hole] = slots[index]
                    slots[index] = 0
                    hole = index
                }
                index = next(index)
            }
            return true
        }

        private func next(_ index: Int) -> Int { index + 1 == slots.count ? 0 : index + 1 }

        private func distance(from start: Int, to end: Int) -> Int {
            end >= start ? end - start : end - start + slots.count
        }

        func glance(at bits: UInt64) -> UInt64 {
            slots[Self.home(of: bits, among: slots.count)]
        }

        /// The home slot, computed from the upper half of the bits.
        private static func home(of bits: UInt64, among count: Int) -> Int {
            Int(truncatingIfNeeded: ((bits >> 32) &* UInt64(count)) >> 32)
        }

        /// Returns the slot that contains the bits, or the free slot for them: linear probing from their home slot.
        private func slot(of bits: UInt64) -> Int {
            slots.withUnsafeBufferPointer { slots in
                var index = Self.home(of: bits, among: slots.count)
                while slots[index] != 0, slots[index] != bits {
                    index += 1
                    if index == slots.count { index = 0 }
                }
                return index
            }
        }

        private mutating func grow() {
            let old = slots
            slots = Array(repeating: 0, count: max(old.count + 8, old.count * 6 / 5))
            for bits in old where bits != 0 { slots[slot(of: bits)] = bits }
        }
    }
}

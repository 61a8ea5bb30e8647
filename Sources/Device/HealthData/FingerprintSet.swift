/// The part of a fingerprint that sets keep.
public struct FingerprintKey: Sendable, Hashable {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// Makes a key of its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A set of fingerprints at 9 to 10 bytes each: an export has millions of samples.
///
/// The set is cut into 32 parts by five bits of the key. A part is an open-addressed table of 64 more bits, which also
/// choose the slot; it grows by a fifth when it is full, alone, so that never more than one part stands twice in
/// memory. More parts would be small enough to leave holes in the heap as they grow. Keys are the beginning of a SHA-256:
/// that two of ten million samples agree in all 69 bits has the chance of 1 in 10^7.
public struct FingerprintSet: Sendable {
    private var parts: [Part]
    /// The number of keys.
    public private(set) var count = 0

    /// Makes an empty set.
    public init() { parts = Array(repeating: Part(), count: 32) }

    /// Returns whether a key is in the set.
    public func contains(_ key: FingerprintKey) -> Bool { parts[Self.part(of: key)].contains(Self.bits(of: key)) }

    /// Puts a key in; false where it was there already.
    @discardableResult
    public mutating func insert(_ key: FingerprintKey) -> Bool {
        guard parts[Self.part(of: key)].insert(Self.bits(of: key)) else { return false }
        count += 1
        return true
    }

    /// Takes a key out; false where it was not there.
    @discardableResult
    public mutating func remove(_ key: FingerprintKey) -> Bool {
        guard parts[Self.part(of: key)].remove(Self.bits(of: key)) else { return false }
        count -= 1
        return true
    }

    /// Looks at the places of fingerprints, so that they are in the processor's cache when they are asked for.
    mutating func lookAhead(_ fingerprints: [SampleFingerprint?]) {
        for case let fingerprint? in fingerprints {
            let key = fingerprint.key
            looked &+= parts[Self.part(of: key)].glance(at: Self.bits(of: key))
        }
    }

    /// The slots that `lookAhead` read, added up. The sum says nothing, but must be kept lest the reads be left out.
    private var looked: UInt64 = 0

    private static func part(of key: FingerprintKey) -> Int { Int(truncatingIfNeeded: key.high >> 59) }

    /// Zero stands for an empty slot, so the key that would be zero shares a place with its neighbour.
    private static func bits(of key: FingerprintKey) -> UInt64 { key.low == 0 ? 1 : key.low }

    private struct Part {
        private var slots: [UInt64] = Array(repeating: 0, count: 8)
        private var filled = 0

        func contains(_ bits: UInt64) -> Bool { slots[slot(of: bits)] == bits }

        mutating func insert(_ bits: UInt64) -> Bool {
            let place = slot(of: bits)
            guard slots[place] != bits else { return false }
            slots[place] = bits
            filled += 1
            // When it is nearly full a search takes some steps, all within few cache lines.
            if filled * 25 > slots.count * 23 { grow() }
            return true
        }

        mutating func remove(_ bits: UInt64) -> Bool {
            var hole = slot(of: bits)
            guard slots[hole] == bits else { return false }
            slots[hole] = 0
            filled -= 1
            // What stands behind the hole moves into it, unless its home lies between the two: a search ends at a free slot.
            var place = next(hole)
            while slots[place] != 0 {
                let home = Self.home(of: slots[place], among: slots.count)
                if distance(from: home, to: place) >= distance(from: hole, to: place) {
                    slots[hole] = slots[place]
                    slots[place] = 0
                    hole = place
                }
                place = next(place)
            }
            return true
        }

        private func next(_ place: Int) -> Int { place + 1 == slots.count ? 0 : place + 1 }

        private func distance(from start: Int, to end: Int) -> Int {
            end >= start ? end - start : end - start + slots.count
        }

        func glance(at bits: UInt64) -> UInt64 {
            slots[Self.home(of: bits, among: slots.count)]
        }

        /// The slot that the upper half of the bits points to.
        private static func home(of bits: UInt64, among count: Int) -> Int {
            Int(truncatingIfNeeded: ((bits >> 32) &* UInt64(count)) >> 32)
        }

        /// The slot that holds the bits, or the free one where they belong: linear steps from their home.
        private func slot(of bits: UInt64) -> Int {
            slots.withUnsafeBufferPointer { slots in
                var place = Self.home(of: bits, among: slots.count)
                while slots[place] != 0, slots[place] != bits {
                    place += 1
                    if place == slots.count { place = 0 }
                }
                return place
            }
        }

        private mutating func grow() {
            let old = slots
            slots = Array(repeating: 0, count: max(old.count + 8, old.count * 6 / 5))
            for bits in old where bits != 0 { slots[slot(of: bits)] = bits }
        }
    }
}

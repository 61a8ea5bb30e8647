/// The part of an identity that sets keep.
public struct IdentityKey: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A set of identities at 16 bytes a slot: an export has millions of samples.
///
/// Open addressing with linear steps; the keys are hashes already, so their bits choose the slot.
public struct IdentitySet: Sendable {
    private var slots: [IdentityKey]
    private var hasZero = false
    public private(set) var count = 0

    private static let empty = IdentityKey(high: 0, low: 0)

    public init() { slots = Array(repeating: Self.empty, count: 1024) }

    public func contains(_ key: IdentityKey) -> Bool {
        guard key != Self.empty else { return hasZero }
        return slots[slot(of: key)] == key
    }

    /// Puts a key in; false where it was there already.
    @discardableResult
    public mutating func insert(_ key: IdentityKey) -> Bool {
        guard key != Self.empty else {
            defer { hasZero = true }
            count += hasZero ? 0 : 1
            return !hasZero
        }
        let index = slot(of: key)
        guard slots[index] != key else { return false }
        slots[index] = key
        count += 1
        if count * 4 > slots.count * 3 { grow() }
        return true
    }

    /// The slot that holds the key, or the free one where it belongs.
    private func slot(of key: IdentityKey) -> Int {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: key.low) & mask
        while slots[index] != Self.empty, slots[index] != key { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Self.empty, count: old.count * 2)
        for key in old where key != Self.empty { slots[slot(of: key)] = key }
    }
}

import Storage

/// The numbers that distinguish facts with the same encounter, concept and time (`instance_num`).
enum FactInstance {
    /// Returns the first number of an observation's facts: 31 bits of the digest of its id, so that it does not depend
    /// on the order of loading. Facts of one concept have the numbers that follow.
    static func base(ofResource id: String) -> Int {
        var bits: UInt32 = 0
        for byte in TextDigest.whole(id).prefix(4) { bits = bits << 8 | UInt32(byte) }
        return 1 + Int(bits & 0x7FFF_FFFF) % (Int(Int32.max) - maximumFacts)
    }

    /// An upper bound of the facts of one resource.
    private static let maximumFacts = 1 << 16
}

import Storage

/// The numbers by which i2b2 tells the facts of one encounter, concept and time apart (`instance_num`).
enum FactInstance {
    /// The first number of an observation's facts: 31 bits of the digest of its id, so that it is the same in whatever
    /// order the resources of a day are loaded. Facts of one concept have the numbers that follow.
    static func base(ofResource id: String) -> Int {
        var bits: UInt32 = 0
        for byte in TextDigest.whole(id).prefix(4) { bits = bits << 8 | UInt32(byte) }
        return 1 + Int(bits & 0x7FFF_FFFF) % (Int(Int32.max) - room)
    }

    /// More facts than one resource may have.
    private static let room = 1 << 16
}

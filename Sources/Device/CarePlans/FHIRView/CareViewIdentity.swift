import FHIR
import Foundation

/// Identities of the resources of a view. The same plan has the same ones in every view.
enum CareViewIdentity {
    /// Returns the identity of a resource that is derived from a version: its hash with a name and an index.
    static func derived(from uuid: UUID, _ name: String, index: Int = 0) -> UUID {
        var halves = uuid.halves
        for byte in name.utf8 { halves = (mixed(halves.0 &+ UInt64(byte)), mixed(halves.1 ^ halves.0)) }
        halves.0 = mixed(halves.0 &+ UInt64(bitPattern: Int64(index)))
        halves.1 = mixed(halves.1 ^ halves.0)
        return withUnsafeBytes(of: halves) { UUID($0, version: .custom) }
    }

    /// The finaliser of SplitMix64: a bijection in which each bit of the input changes about half of the output.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    static func url(_ uuid: UUID) -> String { "urn:uuid:" + uuid.lowercaseText }

    static func reference(_ uuid: UUID) -> JSON { ["reference": .string(url(uuid))] }
}

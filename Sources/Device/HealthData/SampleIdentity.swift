import Crypto
import Foundation

/// What makes a sample the same sample wherever and whenever it is read: the SHA-256 of its content.
///
/// Exports carry no identifiers, so type, start, end, value, unit and source are the identity. Instants count, not
/// the offsets they are written with. The source is the kind of product and the version, **never the name**: the hash
/// leaves the device, and a hash over a name that can be guessed would tell it. Two apps that wrote exactly the same
/// value for the same time are therefore one sample.
public struct SampleIdentity: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(of content: [UInt8]) {
        words = SHA256.hash(data: content).withUnsafeBytes { bytes in
            let words = bytes.bindMemory(to: UInt64.self)
            return (
                UInt64(bigEndian: words[0]), UInt64(bigEndian: words[1]), UInt64(bigEndian: words[2]),
                UInt64(bigEndian: words[3])
            )
        }
    }

    /// The first 128 bits: enough to tell samples apart in sets.
    public var key: IdentityKey { IdentityKey(high: words.0, low: words.1) }

    /// The hash in 64 hexadecimal digits.
    public var text: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            for (index, word) in [words.0, words.1, words.2, words.3].enumerated() {
                for digit in 0..<16 { buffer[index * 16 + digit] = Hex.digit(word >> (60 - UInt64(digit) * 4)) }
            }
            return 64
        }
    }

    /// The id of the resource: a UUID (RFC 9562 version 8) from the subject and the content, so that the same sample
    /// of the same person is written to the same place however often it is sent.
    public func resourceID(subject: String?) -> String {
        var high = words.0
        var low = words.1
        if let subject {
            let mixed = SampleIdentity(of: Array(subject.utf8) + [0] + Array(text.utf8))
            (high, low) = (mixed.words.0, mixed.words.1)
        }
        high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return String(unsafeUninitializedCapacity: 36) { buffer in
            var place = 0
            for digit in 0..<32 {
                if [8, 12, 16, 20].contains(digit) {
                    buffer[place] = UInt8(ascii: "-")
                    place += 1
                }
                buffer[place] = Hex.digit(
                    digit < 16 ? high >> (60 - UInt64(digit) * 4) : low >> (124 - UInt64(digit) * 4))
                place += 1
            }
            return 36
        }
    }

    public static func == (left: SampleIdentity, right: SampleIdentity) -> Bool { left.words == right.words }
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

private enum Hex {
    static func digit(_ value: UInt64) -> UInt8 {
        let digit = UInt8(truncatingIfNeeded: value & 15)
        return digit < 10 ? 0x30 + digit : 0x57 + digit
    }
}

extension HealthSample {
    /// The identity of the sample.
    public var identity: SampleIdentity {
        var content: [UInt8] = []
        content.reserveCapacity(160)
        func add(_ text: String) {
            content.append(contentsOf: text.utf8)
            content.append(0)
        }
        func add(_ quantity: HealthQuantity?) {
            add(quantity?.written ?? "")
            add(quantity?.writtenUnit ?? "")
        }
        func add(_ instant: HealthInstant) {
            withUnsafeBytes(of: instant.seconds.bigEndian) { content.append(contentsOf: $0) }
        }
        add(type.identifier)
        add(start)
        add(end)
        add(source.product.rawValue)
        add(source.version)
        switch value {
        case .quantity(let quantity): add(quantity)
        case .option(let option): add(option.code)
        case .bloodPressure(let systolic, let diastolic):
            add(systolic)
            add(diastolic)
        case .workout(let workout):
            // The figures of a workout are recomputed by newer systems; the activity and its times stay.
            add(workout.activity.code)
        }
        return SampleIdentity(of: content)
    }
}

import Core
import Crypto
import Foundation

/// The fingerprint that makes a sample the same sample wherever and whenever it is read: the SHA-256 of its content.
///
/// Exports carry no identifiers, so the fingerprint is made of type, start, end, value, unit and source. Instants
/// count, not the offsets they are written with. The source is the kind of product and the version, **never the name**:
/// the hash leaves the device, and a hash over a name that can be guessed would tell it. Two apps that wrote exactly
/// the same value for the same time are therefore one sample.
public struct SampleFingerprint: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    init(of content: [UInt8]) { self = content.withUnsafeBytes { SampleFingerprint(of: $0) } }

    init(of content: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: content)
        words = hash.finalize().withUnsafeBytes { bytes in
            func word(_ place: Int) -> UInt64 {
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The first 128 bits: enough to tell samples apart in sets.
    public var key: FingerprintKey { FingerprintKey(high: words.0, low: words.1) }

    /// The hash in 64 hexadecimal digits.
    public var text: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            if let start = buffer.baseAddress { writeText(to: start) }
            return 64
        }
    }

    /// Writes the 64 digits.
    func writeText(to start: UnsafeMutablePointer<UInt8>) {
        Hexadecimal.write(words.0, to: start)
        Hexadecimal.write(words.1, to: start + 16)
        Hexadecimal.write(words.2, to: start + 32)
        Hexadecimal.write(words.3, to: start + 48)
    }

    /// The id of the resource: a UUID (RFC 9562 version 8) from the subject and the content, so that the same sample
    /// of the same person is written to the same place however often it is sent.
    public func resourceID(subject: String?) -> String {
        String(unsafeUninitializedCapacity: UUID.textLength) { buffer in
            if let start = buffer.baseAddress {
                resourceUUID(subject: subject).writeText(to: start, isLowercase: true)
            }
            return UUID.textLength
        }
    }

    /// The id of the resource as a UUID; in the resource it is written in lower case.
    public func resourceUUID(subject: String?) -> UUID {
        var high = words.0
        var low = words.1
        if let subject {
            // The subject, a zero byte, and the digits of the hash.
            let mixed = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: subject.utf8.count + 65) { content in
                var subject = subject
                let count = subject.withUTF8 { bytes in
                    if let from = bytes.baseAddress { content.baseAddress?.update(from: from, count: bytes.count) }
                    return bytes.count
                }
                content[count] = 0
                if let start = content.baseAddress { writeText(to: start + count + 1) }
                return SampleFingerprint(of: UnsafeRawBufferPointer(content))
            }
            (high, low) = (mixed.words.0, mixed.words.1)
        }
        high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID((high, low))
    }

    public static func == (left: SampleFingerprint, right: SampleFingerprint) -> Bool { left.words == right.words }
    public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension HealthSample {
    /// The fingerprint of the sample.
    public var fingerprint: SampleFingerprint {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            var content = FingerprintContent(buffer)
            content.add(type.identifier)
            content.add(start)
            content.add(end)
            content.add(source.product.rawValue)
            content.add(source.version)
            switch value {
            case .quantity(let quantity): content.add(quantity)
            case .option(let option): content.add(option.code)
            case .event: break
            case .bloodPressure(let systolic, let diastolic):
                content.add(systolic)
                content.add(diastolic)
            case .workout(let workout):
                // The figures of a workout are recomputed by newer systems; the activity and its times stay.
                content.add(workout.activity.code)
            case .components(let components):
                // Whether a member stands inside or alone beside it makes no other correlation.
                content.add(Set(components.map(\.fingerprint.text) + members.map(\.text)).sorted().joined())
            }
            return content.fingerprint
        }
    }
}

/// Gathers what a fingerprint is made of. No part is long: identifiers, numbers and units are bounded where they are
/// read.
private struct FingerprintContent {
    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    /// The bytes from the first part on that does not fit the buffer.
    private var rest: [UInt8] = []

    init(_ buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

    mutating func add(_ text: String) {
        let length = text.utf8.count
        guard rest.isEmpty, count + length < buffer.count else {
            rest.append(contentsOf: text.utf8)
            rest.append(0)
            return
        }
        var text = text
        text.withUTF8 { bytes in
            if let start = bytes.baseAddress, let to = buffer.baseAddress {
                (to + count).copyMemory(from: start, byteCount: length)
            }
        }
        count += length
        buffer[count] = 0
        count += 1
    }

    mutating func add(_ quantity: HealthQuantity?) {
        add(quantity?.written ?? "")
        add(quantity?.writtenUnit ?? "")
    }

    mutating func add(_ instant: HealthInstant) {
        guard rest.isEmpty, count + 8 <= buffer.count else {
            withUnsafeBytes(of: instant.seconds.bigEndian) { rest.append(contentsOf: $0) }
            return
        }
        buffer.storeBytes(of: instant.seconds.bigEndian, toByteOffset: count, as: Int64.self)
        count += 8
    }

    var fingerprint: SampleFingerprint {
        let front = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        return rest.isEmpty ? SampleFingerprint(of: front) : SampleFingerprint(of: Array(front) + rest)
    }
}

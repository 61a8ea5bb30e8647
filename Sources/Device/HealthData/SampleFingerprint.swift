import Core
import Crypto
import Foundation

/// The identity of a sample, from which the id of its resource is computed: a SHA-256 that does not depend on where and
/// when the sample is read.
///
/// Exports have no identifiers, so the fingerprint is computed from type, start, end, source and value.
///
/// - Only the instants are used, not the offsets in their text.
/// - The value is in the unit of the table, with the precision in which two written forms agree after Apple's rounding
///   (``HealthSample/alternateFingerprints``): a walk of 0.5 miles that is exported again as 0.804672 km is the same
///   walk.
/// - The source is the kind of product and the version, **never the name**: the hash leaves the device, and a hash of a
///   name that can be guessed would reveal it. Two apps of one version that wrote the same value for the same time
///   therefore result in one sample.
/// - The creation date is not included: HealthKit has none, and the same sample has the same id whether it comes from
///   an export or from HealthKit.
public struct SampleFingerprint: Sendable, Hashable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    package init(of content: [UInt8]) { self = content.withUnsafeBytes { SampleFingerprint(of: $0) } }

    init(of content: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: content)
        words = hash.finalize().withUnsafeBytes { bytes in
            func word(_ index: Int) -> UInt64 {
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
            return (word(0), word(1), word(2), word(3))
        }
    }

    /// The first 128 bits: sufficient to distinguish samples in sets.
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

    /// Returns the id of the resource: a UUID (RFC 9562 version 8) computed from the subject and the content, so that
    /// the same sample of the same person always has the same resource.
    public func resourceID(subject: String?) -> String {
        String(unsafeUninitializedCapacity: UUID.textLength) { buffer in
            if let start = buffer.baseAddress {
                resourceUUID(subject: subject).writeText(to: start, isLowercase: true)
            }
            return UUID.textLength
        }
    }

    /// Returns the id of the resource as a UUID; in the resource it is written in lower case.
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
    public var fingerprint: SampleFingerprint { fingerprint(alternates: 0) }

    /// The fingerprints that the sample can have if its value was written in another unit: fingerprints with a value on
    /// the other side of a rounding boundary. Empty for nearly all samples.
    ///
    /// A sample is known if its ``fingerprint`` or one of these is known; the known one is then used.
    public var alternateFingerprints: [SampleFingerprint] {
        switch value {
        case .option, .event, .workout: return []
        case .quantity(let quantity):
            return type.measure.flatMap { quantity.identity(as: $0).alternate } == nil
                ? [] : [fingerprint(alternates: 1)]
        case .bloodPressure(let systolic, let diastolic):
            var mask = 0
            for (index, quantity) in [systolic, diastolic].enumerated() where index < type.components.count {
                if quantity?.identity(as: type.components[index].measure).alternate != nil { mask |= 1 << index }
            }
            return mask == 0 ? [] : (1...3).filter { $0 & mask == $0 }.map { fingerprint(alternates: $0) }
        case .components(let components):
            let own = components.map(\.fingerprint)
            let changed = components.indices.flatMap { index in
                components[index].alternates.map { alternate in
                    var members = own
                    members[index] = alternate
                    return members
                }
            }
            return changed.prefix(Self.alternateLimit).map { fingerprint(alternates: 0, members: $0) }
        }
    }

    /// Maximum number of ``alternateFingerprints``.
    private static let alternateLimit = 8

    /// - Parameters:
    ///   - alternates: a bit for each value whose alternate is used.
    ///   - members: the fingerprints of a correlation's components, if they are not the components' own.
    private func fingerprint(alternates: Int, members other: [SampleFingerprint]? = nil) -> SampleFingerprint {
        withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
            var content = FingerprintContent(buffer)
            content.add(type.identifier)
            content.add(start)
            content.add(end)
            content.add(source.product.rawValue)
            content.add(source.version)
            switch value {
            case .quantity(let quantity): content.add(quantity, as: type.measure, isAlternate: alternates & 1 != 0)
            case .option(let option): content.add(option.code)
            case .event: break
            case .bloodPressure(let systolic, let diastolic):
                let measures = type.components.map(\.measure)
                content.add(systolic, as: measures.first, isAlternate: alternates & 1 != 0)
                content.add(diastolic, as: measures.dropFirst().first, isAlternate: alternates & 2 != 0)
            case .workout(let workout):
                // Newer systems recompute the values of a workout; the activity and its times do not change.
                content.add(workout.activity.code)
            case .components(let components):
                // The correlation is the same whether it contains a member or refers to it.
                let all = (other ?? components.map(\.fingerprint)) + members
                content.add(Set(all.map(\.text)).sorted().joined())
            }
            return content.fingerprint
        }
    }
}

/// Collects the content of a fingerprint. No part is long: the lengths of identifiers, numbers and units are limited
/// when they are read.
private struct FingerprintContent {
    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0
    /// The bytes after the buffer: the first part that does not fit, and all following parts.
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

    /// Adds a value in HealthKit's unit of the measure, and that unit.
    mutating func add(_ quantity: HealthQuantity?, as measure: HealthMeasure?, isAlternate: Bool) {
        guard let quantity, let measure else {
            add("")
            return add("")
        }
        let identity = quantity.identity(as: measure)
        add(isAlternate ? identity.alternate ?? identity.text : identity.text)
        add(measure.healthKitUnit.text)
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

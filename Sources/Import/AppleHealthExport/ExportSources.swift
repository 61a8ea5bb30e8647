import HealthData

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What made the samples, by the texts it is written with. The names stay here.
///
/// A person has few devices, and their texts are long: those met before are found by comparing bytes.
struct ExportSources {
    private struct Known {
        let name: [UInt8]
        let version: [UInt8]
        let device: [UInt8]
        let source: HealthSource
    }

    private var known: [Known] = []
    private static let limit = 16

    mutating func source(_ values: AttributeValues) -> HealthSource {
        let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        // A name of kilobytes is none; the words are looked for at its beginning.
        let name = UnsafeBufferPointer(rebasing: (values[.sourceName] ?? empty).prefix(256))
        let version = UnsafeBufferPointer(rebasing: (values[.sourceVersion] ?? empty).prefix(64))
        let device = Self.withoutAddress(UnsafeBufferPointer(rebasing: (values[.device] ?? empty).prefix(1024)))
        for (index, entry) in known.enumerated()
        where Self.areEqual(entry.device, device) && Self.areEqual(entry.name, name)
            && Self.areEqual(entry.version, version)
        {
            if index > 0 { known.swapAt(index, index - 1) }
            return entry.source
        }
        let product = Redaction.product(sourceName: name, device: device)
        let source = HealthSource(
            product: product, version: String(decoding: version, as: UTF8.self),
            device: Redaction.device(String(decoding: device, as: UTF8.self), product: product))
        if known.count == Self.limit { known.removeLast() }
        known.append(Known(name: Array(name), version: Array(version), device: Array(device), source: source))
        return source
    }

    /// The text behind `<<HKDevice: 0x282a45810>`: the address differs from record to record.
    private static func withoutAddress(_ device: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let comma = device.prefix(64).firstIndex(of: UInt8(ascii: ",")) else { return device }
        return UnsafeBufferPointer(rebasing: device[comma...])
    }

    private static func areEqual(_ left: [UInt8], _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count, let start = right.baseAddress else { return left.isEmpty && right.isEmpty }
        return left.isEmpty || memcmp(left, start, right.count) == 0
    }
}

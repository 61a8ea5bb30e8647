import HealthData

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sources of the samples, by the texts in the export. The names are not passed on.
///
/// A person has few devices, and their texts are long: known ones are found by comparing bytes.
struct ExportSources {
    private final class Known: Sendable {
        let name: [UInt8]
        let version: [UInt8]
        let device: [UInt8]
        let source: HealthSource

        init(name: [UInt8], version: [UInt8], device: [UInt8], source: HealthSource) {
            self.name = name
            self.version = version
            self.device = device
            self.source = source
        }
    }

    private var known: [Known] = []
    private static let limit = 16

    mutating func source(_ values: AttributeValues) -> HealthSource {
        let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        // Long names are cut: the product is searched for only at the beginning.
        let name = UnsafeBufferPointer(rebasing: (values[.sourceName] ?? empty).prefix(256))
        let version = UnsafeBufferPointer(rebasing: (values[.sourceVersion] ?? empty).prefix(64))
        let device = Self.withoutAddress(UnsafeBufferPointer(rebasing: (values[.device] ?? empty).prefix(1024)))
        for entry in known
        where device.holds(entry.device) && name.holds(entry.name) && version.holds(entry.version) {
            return entry.source
        }
        let source = Self.read(name, version: version, device: Array(device))
        if known.count == Self.limit { known.removeFirst() }
        known.append(Known(name: Array(name), version: Array(version), device: Array(device), source: source))
        return source
    }

    private static func read(
        _ name: UnsafeBufferPointer<UInt8>, version: UnsafeBufferPointer<UInt8>, device: [UInt8]
    ) -> HealthSource {
        var device = device
        let count = device.withUnsafeMutableBufferPointer { MarkupReference.resolve($0) }
        device.removeLast(device.count - count)
        let product = device.withUnsafeBufferPointer { Redaction.product(sourceName: name, device: $0) }
        return HealthSource(
            product: product, version: String(decoding: version, as: UTF8.self),
            device: Redaction.device(String(decoding: device, as: UTF8.self), product: product), name: name)
    }

    /// Returns the text after `<<HKDevice: 0x282a45810>`: the address differs between records.
    private static func withoutAddress(_ device: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let comma = device.prefix(64).firstIndex(of: UInt8(ascii: ",")) else { return device }
        return UnsafeBufferPointer(rebasing: device[comma...])
    }
}

extension UnsafeBufferPointer<UInt8> {
    func isSame(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count, let baseAddress, let start = other.baseAddress else {
            return isEmpty && other.isEmpty
        }
        return memcmp(baseAddress, start, count) == 0
    }

    /// Returns whether the bytes are equal.
    func holds(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBufferPointer { isSame(as: $0) } }
}

import Foundation

/// One element of DER (ITU-T X.690), enough to walk to a key inside a certificate. Lengths must be definite and minimal.
struct DERElement: Sendable {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30

    /// The identifier octet. Tags above 30 are not read: no key has them.
    let tag: UInt8
    /// The content octets.
    let content: ArraySlice<UInt8>
    /// The whole element, identifier and length included.
    let encoding: ArraySlice<UInt8>

    /// Reads the element at the start of these bytes. `nil` if it is cut or not DER.
    init?(at bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 2 else { return nil }
        let start = bytes.startIndex
        let tag = bytes[start]
        guard tag & 0x1F != 0x1F else { return nil }
        let first = Int(bytes[start + 1])
        var headerLength = 2
        var length = first
        if first >= 0x80 {
            let count = first - 0x80
            guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
            length = bytes[(start + 2)..<(start + 2 + count)].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80, bytes[start + 2] != 0 else { return nil }
            headerLength += count
        }
        guard bytes.count - headerLength >= length else { return nil }
        self.tag = tag
        content = bytes[(start + headerLength)..<(start + headerLength + length)]
        encoding = bytes[start..<(start + headerLength + length)]
    }

    /// Reads bytes that are exactly one element.
    init?(whole bytes: Data) {
        let bytes = [UInt8](bytes)[...]
        guard let element = DERElement(at: bytes), element.encoding.count == bytes.count else { return nil }
        self = element
    }

    /// The elements of a constructed one. `nil` if the content does not divide into whole elements.
    var children: [DERElement]? {
        guard tag & 0x20 != 0 else { return nil }
        var children: [DERElement] = []
        var rest = content
        while !rest.isEmpty {
            guard let child = DERElement(at: rest) else { return nil }
            children.append(child)
            rest = rest[child.encoding.endIndex...]
        }
        return children
    }

    /// The magnitude of a non-negative INTEGER without leading zeros. `nil` for another tag or a negative number.
    var unsignedInteger: Data? {
        guard tag == Self.integer, let first = content.first, first < 0x80 else { return nil }
        return Data(content.drop { $0 == 0 })
    }

    /// The octets of a BIT STRING whose bits are whole octets.
    var bitStringOctets: ArraySlice<UInt8>? {
        guard tag == Self.bitString, content.first == 0 else { return nil }
        return content.dropFirst()
    }
}

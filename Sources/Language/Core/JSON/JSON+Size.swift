extension JSON {
    /// Returns the number of bytes of the value as JSON without white space and without the bytes that escapes add; nil
    /// if it exceeds a limit. Counting stops at the limit, and a string is counted in constant time.
    public func byteCount(upTo limit: Int) -> Int? {
        var left = limit
        return subtractBytes(from: &left) ? limit - left : nil
    }

    /// - Returns: whether the limit was not exceeded.
    private func subtractBytes(from left: inout Int) -> Bool {
        switch self {
        case .null, .bool: left -= 4
        case .number(let number): left -= number.text.utf8.count
        case .string(let text): left -= text.utf8.count + 2
        case .array(let elements):
            left -= 2 + max(0, elements.count - 1)
            for element in elements where left >= 0 { _ = element.subtractBytes(from: &left) }
        case .object(let object):
            left -= 2 + max(0, object.count - 1)
            guard left >= 0 else { return false }
            for member in object.members where left >= 0 {
                left -= member.key.utf8.count + 3
                _ = member.value.subtractBytes(from: &left)
            }
        }
        return left >= 0
    }
}

import Core

extension JSON {
    /// Returns the number of values in this one, itself included. A long text counts as one more for each sixteen
    /// bytes. Returns nil if the number exceeds the bound, which also bounds the work.
    func values(limit bound: Int) -> Int? {
        var left = bound
        return Self.count(self, &left) ? bound - left : nil
    }

    private static func count(_ value: JSON, _ left: inout Int) -> Bool {
        left -= 1
        switch value {
        case .null, .bool: break
        case .number(let number): left -= number.cost
        case .string(let text): left -= text.utf8.count / 16
        case .array(let elements):
            for element in elements { guard count(element, &left) else { return false } }
        case .object(let object):
            for member in object.members {
                left -= member.key.utf8.count / 16
                guard count(member.value, &left) else { return false }
            }
        }
        return left >= 0
    }
}

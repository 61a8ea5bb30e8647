import FHIR

extension Evaluator {
    /// `sort()` (<https://build.fhir.org/ig/HL7/FHIRPath/#fn-sort>).
    mutating func sorted(
        _ input: [FHIRPathValue], arguments: [ExpressionNode], in scope: Scope
    ) throws(FHIRPathError) -> [FHIRPathValue] {
        // `key desc` reverses the whole order, so that items without a key are last. `-key` has the same effect for
        // numbers, and also works for texts; but an empty key remains empty when negated, and is first.
        let keys = (arguments.isEmpty ? [ExpressionNode.this] : arguments).map { node -> SortKey in
            switch node {
            case .negation(let inner): SortKey(node: inner, isDescending: true, isEmptyFirst: true)
            case .descending(let inner): SortKey(node: inner, isDescending: true, isEmptyFirst: false)
            default: SortKey(node: node, isDescending: false, isEmptyFirst: true)
            }
        }
        var rows: [(item: FHIRPathValue, keys: [FHIRPathValue?], index: Int)] = []
        for (index, item) in input.enumerated() {
            var values: [FHIRPathValue?] = []
            for key in keys {
                values.append(
                    try single(try project(key.node, on: item, index: index, in: scope), "A key of sort()"))
            }
            rows.append((item, values, index))
        }
        let comparisons = max(1, input.count.bitWidth - input.count.leadingZeroBitCount)
        try spend(input.count * comparisons)
        let bytes = rows.reduce(0) { $1.keys.reduce($0) { $0 + ($1?.byteCount ?? 0) } }
        try spend(bytes: min(bytes, 1 << 40) * comparisons)
        var failure: FHIRPathError?
        rows.sort { left, right in
            for (index, key) in keys.enumerated() {
                switch key.order(left.keys[index], right.keys[index]) {
                case .success(let order): if order != 0 { return order < 0 }
                case .failure(let error): failure = error
                }
            }
            return left.index < right.index
        }
        if let failure { throw failure }
        return rows.map(\.item)
    }
}

/// One key of `sort()`.
private struct SortKey {
    let node: ExpressionNode
    let isDescending: Bool
    let isEmptyFirst: Bool

    /// Returns a negative number if the left side comes first.
    func order(_ left: FHIRPathValue?, _ right: FHIRPathValue?) -> Result<Int, FHIRPathError> {
        switch (left, right) {
        case (nil, nil): return .success(0)
        case (nil, _): return .success(isEmptyFirst ? -1 : 1)
        case (_, nil): return .success(isEmptyFirst ? 1 : -1)
        case (let a?, let b?):
            return Result { () throws(FHIRPathError) in
                let order = try ValueOrder.compare(a, with: b, name: "sort()") ?? 0
                return isDescending ? -order : order
            }
        }
    }
}

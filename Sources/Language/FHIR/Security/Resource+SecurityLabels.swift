extension Resource {
    /// The security labels: the codings of `meta.security`, of the resource and of its contained resources
    /// (<https://hl7.org/fhir/R4/security-labels.html>).
    ///
    /// Malformed labels are not ignored: a value that is not a coding counts as an empty coding, and an array is
    /// accepted instead of an element and vice versa, so that no label can be hidden by its form. The codes are not
    /// interpreted here. The cost is linear in the size of the resource.
    public var securityLabels: [Coding] {
        var labels: [Coding] = []
        Resource.addLabels(of: .object(object), to: &labels)
        return labels
    }

    private static func addLabels(of resource: JSON, to labels: inout [Coding]) {
        for meta in items(resource["meta"]) {
            guard case .object(let meta) = meta else {
                labels.append(Coding())
                continue
            }
            for label in items(meta["security"]) { labels.append(Coding(json: label) ?? Coding()) }
        }
        // In R4, contained resources have no contained resources; labels of resources that violate this rule are
        // included.
        for contained in items(resource["contained"]) { addLabels(of: contained, to: &labels) }
    }

    /// Returns the items of an array, including those of nested arrays; any other value as the only item.
    private static func items(_ json: JSON?) -> [JSON] {
        switch json {
        case nil, .null: []
        case .array(let items): items.flatMap { Resource.items($0) }
        case let item?: [item]
        }
    }
}

extension Resource {
    /// The security labels: the codings of `meta.security`, of the resource and of what it contains
    /// (<https://hl7.org/fhir/R4/security-labels.html>).
    ///
    /// Nothing that stands where a label should is passed over: what is no coding is an empty one, and an element counts
    /// also where an array should be and the reverse, so that nobody takes a label off by its form. What the codes mean is
    /// not said here. The cost is linear in the resource.
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
        // R4 contains nothing in what is contained; what breaks the rule has its labels all the same.
        for contained in items(resource["contained"]) { addLabels(of: contained, to: &labels) }
    }

    /// The items of an array, however deep it stands in others; a value that is none, as the only item.
    private static func items(_ json: JSON?) -> [JSON] {
        switch json {
        case nil, .null: []
        case .array(let items): items.flatMap { Resource.items($0) }
        case let item?: [item]
        }
    }
}

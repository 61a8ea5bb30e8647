extension SentenceTable {
    /// The sentences in French: pairs of lines, the English template and its translation.
    static let french: StaticString = """
        yes
        oui
        no
        non
        The form is a draft.
        Le formulaire est un brouillon.
        The form is retired.
        Le formulaire est retiré.
        The form was not in use when it was answered.
        Le formulaire n'était pas en usage lorsqu'il a été rempli.
        The response is for another form.
        Les réponses concernent un autre formulaire.
        The response is for another version of the form.
        Les réponses concernent une autre version du formulaire.
        The member item must be a list.
        L'élément item doit être une liste.
        An item must be an object.
        Une entrée doit être un objet.
        An item of the response has no linkId.
        Une entrée des réponses n'a pas de linkId.
        The item is at another path in the form.
        L'entrée se trouve ailleurs dans le formulaire.
        The form has no item of this linkId.
        Le formulaire n'a pas d'entrée avec ce linkId.
        The item follows one that comes later in the form.
        L'entrée suit une entrée qui vient plus tard dans le formulaire.
        The item's text differs from the form's.
        Le texte de l'entrée diffère de celui du formulaire.
        A display item takes no answer.
        Un texte d'information n'admet pas de réponse.
        A display item has no items.
        Un texte d'information ne contient pas d'entrées.
        A group takes items, not answers.
        Un groupe contient des entrées, pas des réponses.
        A group takes items, not answers: set those inside.
        Un groupe contient des entrées, pas des réponses : indiquez les réponses qu'il contient.
        A group takes an object of its items, not an answer.
        Un groupe contient un objet avec ses entrées, pas une réponse.
        The group does not repeat, but occurs again.
        Le groupe ne peut pas être répété, mais il figure plusieurs fois.
        The group has more instances than are permitted.
        Le groupe figure plus de fois qu'il n'est permis.
        A question occurs once, with all its answers in it.
        Une question figure une seule fois et contient toutes ses réponses.
        Items below a question belong inside its answers.
        Les entrées qui dépendent d'une question se placent dans ses réponses.
        The member answer must be a list.
        L'élément answer doit être une liste.
        The answer has no value.
        La réponse n'a pas de valeur.
        An answer has one value, but this one has several.
        Une réponse a une seule valeur, mais celle-ci en a plusieurs.
        The item is not enabled and must have no answer.
        L'entrée n'est pas active et ne doit pas avoir de réponse.
        The item is not enabled with these answers; its answer is omitted.
        L'entrée n'est pas active avec ces réponses ; sa réponse est omise.
        At least one question of this group needs an answer.
        Répondez à au moins une question de ce groupe.
        The question needs an answer.
        La question nécessite une réponse.
        The question takes one answer.
        La question n'admet qu'une seule réponse.
        At least {1} are required.
        Il en faut au moins {1}.
        The maximum is {1}.
        Le maximum est {1}.
        One of the chosen answers excludes all others.
        L'une des réponses choisies exclut toutes les autres.
        An item of the abstract type question takes no answer.
        Une entrée du type abstrait question n'admet pas de réponse.
        The answer must be of the type {1}.
        La réponse doit être du type {1}.
        The answer is not valid for its type.
        La réponse n'est pas valide pour son type.
        The answer is longer than {1} characters.
        La réponse dépasse {1} caractères.
        The answer is shorter than {1} characters.
        La réponse compte moins de {1} caractères.
        The answer must be on one line.
        La réponse doit tenir sur une seule ligne.
        The answer does not have the required form.
        La réponse n'a pas la forme requise.
        Matching the form's pattern takes too long; it is not checked.
        La comparaison avec le motif du formulaire prend trop de temps ; elle n'est pas faite.
        The answer is below the least value.
        La réponse est inférieure à la valeur minimale.
        The answer is above the greatest value.
        La réponse est supérieure à la valeur maximale.
        The answer's unit is not comparable to that of the minimum.
        L'unité de la réponse n'est pas comparable à celle du minimum.
        The answer's unit is not comparable to that of the maximum.
        L'unité de la réponse n'est pas comparable à celle du maximum.
        The form does not specify the unit of the minimum; it is not checked.
        Le formulaire n'indique pas l'unité du minimum ; il n'est pas vérifié.
        The form does not specify the unit of the maximum; it is not checked.
        Le formulaire n'indique pas l'unité du maximum ; il n'est pas vérifié.
        The answer has more than {1} decimal places.
        La réponse a plus de {1} décimales.
        The answer is not one of the question's options.
        La réponse n'est pas l'un des choix de la question.
        The display text is none of the texts of the answer's code.
        Le libellé n'est aucun des libellés du code de la réponse.
        The value is not a valid answer to a question of the type {1}.
        La valeur n'est pas une réponse valide à une question du type {1}.
        The answer's unit needs a code from the question's value set of units.
        L'unité de la réponse nécessite un code parmi les unités de la question.
        The question does not permit the answer's unit.
        La question ne permet pas l'unité de la réponse.
        The answer's unit differs from the question's unit.
        L'unité de la réponse diffère de l'unité de la question.
        Files of this type are not taken.
        Les fichiers de ce type ne sont pas acceptés.
        The file's data is not base64.
        Les données du fichier ne sont pas en base64.
        The file is larger than {1} bytes.
        Le fichier dépasse {1} octets.
        The file's size differs from the declared one.
        La taille du fichier diffère de celle déclarée.
        The reference is not in a form that FHIR permits.
        La référence n'a pas une forme permise par FHIR.
        FHIR R4 does not define the referenced resource type.
        FHIR R4 ne définit pas le type de la ressource référencée.
        The URL does not end with a resource's type and id.
        L'URL ne se termine pas par le type et l'id d'une ressource.
        The reference has no target.
        La référence n'a pas de cible.
        The question does not permit a reference to a resource of this type.
        La question ne permet pas de référence à une ressource de ce type.
        The answer is not a valid URL.
        La réponse n'est pas une URL valide.
        The answers must be a JSON object of linkIds with values.
        Les réponses doivent être un objet JSON de linkIds avec des valeurs.
        The member item must be an object of linkIds.
        L'élément item doit être un objet de linkIds.
        The answers contain this path twice; the first value is used.
        Les réponses contiennent ce chemin deux fois ; la première valeur est utilisée.
        The item does not belong here.
        L'entrée ne convient pas ici.
        The question above this item has no such answer, so there are no items below it.
        La question dont dépend cette entrée n'a pas cette réponse ; elle ne contient donc pas d'entrées.
        The question above this item has several answers; identify one, as in question[0]/item.
        La question dont dépend cette entrée a plusieurs réponses ; indiquez-en une, comme dans question[0]/item.
        The group {1} has {2} repetitions, counted from 0: only the next can be added, if the group repeats.
        Le groupe {1} a {2} répétitions, comptées à partir de 0 : seule la suivante peut être ajoutée, si le groupe \
        se répète.
        The question has {1} answers, counted from 0: only the next can be added.
        La question a {1} réponses, comptées à partir de 0 : seule la suivante peut être ajoutée.
        The answers do not make a valid response ({1} errors).
        Les réponses ne forment pas un ensemble valide ({1} erreurs).
        This question needs an answer.
        Cette question nécessite une réponse.
        The answer is removed.
        La réponse est supprimée.
        The file cannot be read.
        Le fichier ne peut pas être lu.
        This is the first question.
        C'est la première question.
        An expression of the form is not evaluated: {1}
        Une expression du formulaire n'est pas évaluée : {1}
        An expression of the form fails: {1}
        Une expression du formulaire échoue : {1}
        The answers break the form's rule {1}.
        Les réponses enfreignent la règle {1} du formulaire.
        The form calculates an answer that the response does not have.
        Le formulaire calcule une réponse qui manque dans les réponses.
        The answer differs from the one that the form calculates.
        La réponse diffère de celle que le formulaire calcule.
        The expression depends on itself: {1}.
        L'expression dépend d'elle-même : {1}.
        A variable depends on itself.
        Une variable dépend d'elle-même.
        The language {1} is not evaluated.
        Le langage {1} n'est pas évalué.
        Queries are not available here.
        Les requêtes ne sont pas disponibles ici.
        A query cannot be executed.
        Une requête ne peut pas être exécutée.
        The variable %{1} fails: {2}
        La variable %{1} échoue : {2}
        The expression has several values instead of true or false.
        L'expression a plusieurs valeurs au lieu de vrai ou faux.
        The value set is not available.
        L'ensemble de valeurs n'est pas disponible.
        A value of the type {1} does not answer the question.
        Une valeur du type {1} ne répond pas à la question.
        The expression has {1} values, and the question takes one answer.
        L'expression a {1} valeurs et la question n'admet qu'une réponse.
        The unit of a value is not comparable to that of the question.
        L'unité d'une valeur n'est pas comparable à celle de la question.
        More than {1} variables are read one through the other.
        Plus de {1} variables sont lues l'une par l'autre.
        """
}

extension AuthorSentences {
    /// The sentences in French: pairs of lines, the English template and its translation.
    static let french: StaticString = """
        A group needs items, and a display item has none.
        Un groupe nécessite des entrées, et un texte d'information n'en a pas.
        A display item has no code.
        Un texte d'information n'a pas de code.
        A question has options of its own or a value set, not both.
        Une question a ses propres choix ou un jeu de valeurs, pas les deux.
        A question of this type cannot have options.
        Une question de ce type ne peut pas avoir de choix.
        A display item is neither required nor repeated.
        Un texte d'information n'est ni obligatoire ni répété.
        A group or display item has no initial value.
        Un groupe ou un texte d'information n'a pas de valeur initiale.
        A display item is not read-only.
        Un texte d'information n'est pas en lecture seule.
        A question of this type cannot have a maximum length.
        Une question de ce type ne peut pas avoir de longueur maximale.
        A question with options uses initialSelected, not an initial value.
        Une question avec des choix utilise initialSelected, pas une valeur initiale.
        Several conditions need an enableBehavior; without it, all must be fulfilled.
        Plusieurs conditions nécessitent un enableBehavior ; sans lui, toutes doivent être remplies.
        Only a question that repeats has several initial values.
        Seule une question répétée a plusieurs valeurs initiales.
        An item of the abstract type question cannot be answered.
        On ne peut pas répondre à une entrée du type abstrait question.
        An enableBehavior is all or any; otherwise all must be fulfilled.
        Un enableBehavior vaut all ou any ; sinon, toutes les conditions doivent être remplies.
        The minimum is greater than the maximum: no answer is valid.
        Le minimum est supérieur au maximum : aucune réponse n'est valide.
        The minimum or the maximum has no unit, and the question permits several: write the limit as a Quantity \
        (minQuantity, maxQuantity), or permit one unit only.
        Le minimum ou le maximum n'a pas d'unité, et la question en permet plusieurs : écrivez la limite comme \
        Quantity (minQuantity, maxQuantity), ou ne permettez qu'une unité.
        The unit of the minimum or the maximum is not comparable to a unit of the question.
        L'unité du minimum ou du maximum n'est pas comparable à une unité de la question.
        An answerConstraint is optionsOnly, optionsOrType or optionsOrString; the question's type decides until it \
        is mended.
        Un answerConstraint vaut optionsOnly, optionsOrType ou optionsOrString ; jusqu'à sa correction, le type de \
        la question décide.
        A limit has no value that an answer can be compared with; answers are not checked against it.
        Une limite n'a pas de valeur comparable à une réponse ; les réponses ne sont pas vérifiées avec elle.
        The pattern cannot be parsed; answers are not checked against it.
        Le motif est illisible ; les réponses ne sont pas vérifiées avec lui.
        The pattern has JavaScript's form, /pattern/flags; it is read without the slashes. Other apps can treat \
        them as part of the pattern.
        Le motif a la forme de JavaScript, /pattern/flags ; il est lu sans les barres. D'autres applications \
        peuvent les traiter comme une partie du motif.
        A choice has no options.
        Une question à choix n'a pas de choix.
        The form does not contain the value set that it refers to.
        Le formulaire ne contient pas le jeu de valeurs auquel il se réfère.
        The value set is not available; answers are not checked against it.
        Le jeu de valeurs n'est pas disponible ; les réponses ne sont pas vérifiées avec lui.
        this sub-questionnaire is not assembled, and its questions are missing; assemble the form before it is \
        published (https://hl7.org/fhir/uv/sdc/modular.html).
        Ce sous-formulaire n'est pas intégré et ses questions manquent ; assemblez le formulaire avant de le \
        publier (https://hl7.org/fhir/uv/sdc/modular.html).
        The name should be an identifier: a capital letter, then letters, digits and _.
        Le nom devrait être un identifiant : une majuscule, puis des lettres, des chiffres et _.
        The form has no items.
        Le formulaire n'a pas d'entrées.
        A condition refers to its own item.
        Une condition se réfère à sa propre entrée.
        A condition refers to an item inside its own item.
        Une condition se réfère à une entrée à l'intérieur de sa propre entrée.
        A condition refers to a group or a display item, which has no answers.
        Une condition se réfère à un groupe ou à un texte d'information, qui n'a pas de réponses.
        A condition's operator is not defined by FHIR R4.
        FHIR R4 ne définit pas l'opérateur d'une condition.
        A condition has no answer to compare with.
        Une condition n'a pas de réponse de comparaison.
        The operator exists needs a boolean answer.
        L'opérateur exists nécessite une réponse booléenne.
        A condition compares with a number without a unit, and the question permits several units.
        Une condition compare avec un nombre sans unité, et la question permet plusieurs unités.
        A condition's unit is not comparable to a unit of its question.
        L'unité d'une condition n'est pas comparable à une unité de sa question.
        A condition's value has a type that its question does not permit.
        La valeur d'une condition a un type que sa question ne permet pas.
        A condition refers to a question that comes later.
        Une condition se réfère à une question ultérieure.
        An item has no linkId.
        Une entrée n'a pas de linkId.
        Two items have this linkId; each needs one of its own (que-2).
        Deux entrées ont ce linkId ; chacune doit avoir le sien (que-2).
        The item's type is not defined by FHIR R4.
        FHIR R4 ne définit pas le type de l'entrée.
        The form is populated by a StructureMap, which is not evaluated; use initialExpression.
        Le formulaire est prérempli par une StructureMap, qui n'est pas évaluée ; utilisez initialExpression.
        Answers are extracted by a StructureMap, which is not evaluated; use templateExtract or definitionExtract.
        Les réponses sont extraites par une StructureMap, qui n'est pas évaluée ; utilisez templateExtract ou \
        definitionExtract.
        The form is adaptive: a server chooses the next question, which is not supported.
        Le formulaire est adaptatif : un serveur choisit la question suivante, ce qui n'est pas pris en charge.
        A signature is required, but it is neither asked for nor checked.
        Une signature est requise, mais elle n'est ni demandée ni vérifiée.
        The form must be assembled with other forms before it is published ({1}).
        Le formulaire doit être assemblé avec d'autres avant sa publication ({1}).
        An expression is written in CQL, which is not evaluated; write it in FHIRPath.
        Une expression est écrite en CQL, qui n'est pas évalué ; écrivez-la en FHIRPath.
        A picture, sound or film has no title, which is read aloud or shown in its stead.
        Une image, un son ou un film n'a pas de titre, qui est lu ou affiché en remplacement.
        {1} pictures, sounds or films have no title, which is read aloud or shown in its stead.
        {1} images, sons ou films n'ont pas de titre, qui est lu ou affiché en remplacement.
        No question has a code; answers have no meaning outside of this form.
        Aucune question n'a de code ; les réponses n'ont pas de sens hors de ce formulaire.
        The question has no code; its answers have no meaning outside of this form.
        La question n'a pas de code ; ses réponses n'ont pas de sens hors de ce formulaire.
        {1}: An option that is a text has no concept of its own in the warehouse; give it a code (valueCoding).
        {1} : un choix qui est un texte n'a pas de concept propre dans l'entrepôt ; donnez-lui un code \
        (valueCoding).
        {1}: A code without a system means nothing outside of this form; give it its system.
        {1} : un code sans système ne signifie rien hors de ce formulaire ; indiquez son système.
        The form has translations, and does not name the language of its own texts (language).
        Le formulaire a des traductions et n'indique pas la langue de ses propres textes (language).
        The {1} has no translation to {2}.
        L'élément {1} n'a pas de traduction en {2}.
        {1}: The options have no translation to {2}.
        {1} : les choix n'ont pas de traduction en {2}.
        The item is never enabled.
        L'entrée n'est jamais active.
        The item is never enabled, nor is the item inside.
        L'entrée n'est jamais active, ni l'entrée qu'elle contient.
        The item is never enabled, nor are the {1} items inside.
        L'entrée n'est jamais active, ni les {1} entrées qu'elle contient.
        The condition on {1} is never true: no answer to that question is valid.
        La condition sur {1} n'est jamais remplie : aucune réponse à cette question n'est valide.
        The condition on {1} is never true: no valid answer to that question fulfils it.
        La condition sur {1} n'est jamais remplie : aucune réponse valide à cette question ne la remplit.
        The condition on {1} is always true: no valid answer to that question is that value.
        La condition sur {1} est toujours remplie : aucune réponse valide à cette question n'a cette valeur.
        The conditions on {1} are never true together.
        Les conditions sur {1} ne sont jamais remplies ensemble.
        One of the conditions on {1} is always true.
        L'une des conditions sur {1} est toujours remplie.
        An expression ({1}) is in the language {2}, which is not evaluated.
        Une expression ({1}) est écrite dans le langage {2}, qui n'est pas évalué.
        An expression ({1}) is not valid: {2}
        Une expression ({1}) n'est pas valide : {2}
        An expression ({1}) reads %{2}, which nothing defines.
        Une expression ({1}) lit %{2}, que rien ne définit.
        An expression ({1}) reads the item "{2}", which the form does not have there.
        Une expression ({1}) lit l'élément « {2} », que le formulaire n'a pas à cet endroit.
        An expression ({1}) depends on itself: {2}.
        Une expression ({1}) dépend d'elle-même : {2}.
        A variable depends on itself: {1}.
        Une variable dépend d'elle-même : {1}.
        The enablement of the item depends on itself through other items: {1}.
        L'activation de l'élément dépend d'elle-même par d'autres éléments : {1}.
        Two expressions of one element define %{1}.
        Deux expressions d'un élément définissent %{1}.
        A variable hides %{1} of an element above.
        Une variable masque %{1} d'un élément supérieur.
        The name %{1} has a meaning in every expression.
        Le nom %{1} a une signification fixe dans toute expression.
        A condition refers to the question {1}, which the form does not have.
        Une condition renvoie à la question {1}, que le formulaire n'a pas.
        A condition names no question.
        Une condition ne nomme aucune question.
        {1} and {2} more
        {1} et {2} autres
        """
}

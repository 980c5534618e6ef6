/** The shells that `ids completion` knows. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof SHELLS)[number];

/**
 * What a shell runs once, from its start-up file. Each script asks `ids completion <shell> -- <words>` with
 * the words of the line, of which the last is being typed, and gets a line for each that would fit. Without
 * an answer, bash and zsh complete names of files. Written for bash 3.2, zsh 5 and fish 3; a test runs that
 * of bash.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of ids for bash: source this file in ~/.bashrc
_ids_completion() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(ids completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _ids_completion ids
`,
  zsh: `# Completion of ids for zsh: source this file in ~/.zshrc, after compinit
_ids_completion() {
  local -a found
  found=("\${(@f)$(ids completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then _describe ids found; else _files; fi
}
compdef _ids_completion ids
`,
  fish: `# Completion of ids for fish: this file is ~/.config/fish/completions/ids.fish
function __ids_completion
  set -l words (commandline -opc)
  set -e words[1]
  set -l current (commandline -ct)
  ids completion fish -- $words "$current" 2>/dev/null
end
complete -c ids -f -a '(__ids_completion)'
complete -c ids -l cwd -x -a '(__fish_complete_directories)'
complete -c ids -l strategies -r -F
`,
};

/** A word that would fit, with what there is to say of it. */
export interface Candidate {
  readonly word: string;
  readonly note?: string;
}

/** The line for a candidate, as the script of the shell reads it. */
export const lineFor: Readonly<Record<Shell, (candidate: Candidate) => string>> = {
  bash: ({ word }) => word,
  zsh: ({ word, note }) => {
    const escaped = word.replace(/[\\:]/g, '\\$&');
    return note === undefined ? escaped : `${escaped}:${note}`;
  },
  fish: ({ word, note }) => (note === undefined ? word : `${word}\t${note}`),
};

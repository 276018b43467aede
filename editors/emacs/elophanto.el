;;; elophanto.el --- notes by eglot  -*- lexical-binding: t -*-

;; `elophanto editor install emacs' puts this beside init.el and has it loaded; --remove takes it out.
;; Needs eglot (part of Emacs since 29) and a mode for Markdown.
;;
;; M-x elophanto-search asks the knowledge base. All else is eglot's: M-., M-?, C-M-i, M-x eglot-rename,
;; M-x eglot-code-actions.

(defvar elophanto-program "elophanto"
  "The program that is started as a language server.")

(defvar elophanto-modes '(markdown-mode gfm-mode markdown-ts-mode)
  "Modes in which notes are written.")

(declare-function eglot-ensure "eglot")
(defvar eglot-server-programs)

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               (cons elophanto-modes (list elophanto-program "lsp"))))

;; Emacs before 29 has no eglot of its own.
(defun elophanto-ensure ()
  "Start the language server for this buffer, where there is eglot."
  (if (require 'eglot nil t)
      (eglot-ensure)
    (message "elophanto: install eglot (M-x package-install) to write notes with it")))

(dolist (mode elophanto-modes)
  (add-hook (intern (format "%s-hook" mode)) #'elophanto-ensure))

(defun elophanto-search (question)
  "Ask the knowledge base of this file a QUESTION, and list the places that answer."
  (interactive "sAsk: ")
  (xref-find-apropos question))

(provide 'elophanto)
;;; elophanto.el ends here
